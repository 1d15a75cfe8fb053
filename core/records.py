"""Records that cross a room's border: a check's finding and a trial's result."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Mapping, Optional

from core.errors import ResultError
from core.status import CheckStatus, TrialStatus
from core.validity import fault_of

TRIAL_SCHEMA = 1


@dataclass(frozen=True)
class Finding:
    """One check's judgement: what was measured, what was expected, what to do.

    Everything that is not ``pass`` carries a reason; a ``fail`` or ``warn`` carries a remedy.
    """

    id: str
    title: str
    status: CheckStatus
    measured: str
    expected: str
    reason: str = ""
    remedy: str = ""

    def __post_init__(self) -> None:
        if self.status is not CheckStatus.PASS and not self.reason:
            raise ValueError(f"check {self.id}: status {self.status.value} needs a reason")
        if self.status in (CheckStatus.FAIL, CheckStatus.WARN) and not self.remedy:
            raise ValueError(f"check {self.id}: status {self.status.value} needs a remedy")

    def to_dict(self) -> dict[str, str]:
        """Plain data for JSON."""
        return {**asdict(self), "status": self.status.value}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Finding:
        """Read back what ``to_dict`` wrote.

        Raises:
            ResultError: a field is missing or holds a value no finding can have.
        """
        try:
            return cls(**{**data, "status": CheckStatus(data["status"])})
        except (TypeError, KeyError, ValueError) as error:
            raise ResultError(
                "A check's finding cannot be read.",
                why=str(error),
                remedy="Run the check again with this version of the tool.",
            ) from error


@dataclass(frozen=True)
class OutputCheck:
    """How far a workload's output lay from its reference before it was timed.

    ``error`` and ``tolerance`` are relative (dimensionless) unless ``measure`` says otherwise.
    """

    measure: str
    error: float
    tolerance: float
    reference: str

    @property
    def passed(self) -> bool:
        """False for an error above the tolerance and for one that is not a number."""
        return self.error <= self.tolerance


@dataclass(frozen=True)
class TrialResult:
    """One fresh process of one cell in one round.

    Times are seconds. ``samples_s`` holds every raw sample, each already divided by
    ``calls_per_sample``. ``settings`` is what two trials must share to be comparable;
    ``identity`` is what produced them (versions, device, driver).
    """

    workload: str
    variant: str
    device: str
    preset: str
    status: TrialStatus
    environment: str = ""
    round: int = 0
    reason: str = ""
    remedy: str = ""
    flags: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    identity: Mapping[str, Any] = field(default_factory=dict)
    median_s: Optional[float] = None
    samples_s: tuple[float, ...] = ()
    calls_per_sample: int = 1
    metrics: Mapping[str, Any] = field(default_factory=dict)
    check: Optional[OutputCheck] = None
    code_hash: str = ""
    seed: int = 0
    started_at: str = ""
    elapsed_s: float = 0.0
    log: str = ""
    schema: int = TRIAL_SCHEMA

    def __post_init__(self) -> None:
        if self.status is not TrialStatus.OK and not self.reason:
            raise ValueError(f"trial status {self.status.value} needs a reason")
        if self.status is TrialStatus.OK and self.median_s is None:
            raise ValueError("an ok trial needs its median")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**asdict(self), "status": self.status.value}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrialResult:
        """Read back what ``to_dict`` wrote.

        Raises:
            ResultError: a newer schema, a missing field, or an impossible value.
        """
        _refuse_newer(data.get("schema"))
        try:
            check = data.get("check")
            result = cls(
                **{
                    **data,
                    "status": TrialStatus(data["status"]),
                    "flags": tuple(data.get("flags", ())),
                    "samples_s": tuple(float(s) for s in data.get("samples_s", ())),
                    "check": OutputCheck(**check) if check else None,
                }
            )
            fault = fault_of(result)
            if fault:
                raise ValueError(fault)
        except (TypeError, KeyError, ValueError, OverflowError) as error:
            raise ResultError(
                "A trial's result cannot be read.",
                why=f"{type(error).__name__}: {error}.",
                remedy="Run this trial again; the rest of the run is not affected.",
            ) from error
        return result


def _refuse_newer(schema: object) -> None:
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        raise ResultError(
            "A result has no usable schema number.",
            why=f"It says {schema!r}.",
            remedy="Run this trial again with this version of the tool.",
        )
    if schema > TRIAL_SCHEMA:
        raise ResultError(
            f"A result was written with schema {schema}.",
            why=f"This version reads schemas up to {TRIAL_SCHEMA}.",
            remedy="Update the tool, or read the result with the version that wrote it.",
        )
