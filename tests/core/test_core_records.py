from __future__ import annotations

import pytest

from core.errors import ResultError
from core.jsonio import dumps, loads
from core.records import Finding, OutputCheck, TrialResult
from core.status import CheckStatus, TrialStatus


def ok_trial() -> TrialResult:
    return TrialResult(
        workload="matmul",
        variant="fp32",
        device="cpu",
        preset="smoke",
        status=TrialStatus.OK,
        median_s=0.5,
        samples_s=(0.4, 0.5, 0.6),
        flags=("noisy",),
        check=OutputCheck("relative error", 1e-7, 1e-5, "float64"),
    )


def test_a_trial_survives_json() -> None:
    """What one process writes the other reads back equal."""
    assert ok_trial() == TrialResult.from_dict(loads(dumps(ok_trial().to_dict())))


@pytest.mark.parametrize("status", [s for s in TrialStatus if s is not TrialStatus.OK])
def test_what_is_not_ok_carries_a_reason(status: TrialStatus) -> None:
    """A status alone never explains itself."""
    with pytest.raises(ValueError, match="needs a reason"):
        TrialResult(workload="w", variant="v", device="cpu", preset="smoke", status=status)


def test_an_ok_trial_without_a_median_cannot_be_made() -> None:
    """Nothing measured is not ok."""
    with pytest.raises(ValueError, match="median"):
        TrialResult(workload="w", variant="v", device="cpu", preset="smoke", status=TrialStatus.OK)


@pytest.mark.parametrize("schema", [2, 99, 0, -1, None, "1", True])
def test_a_schema_that_is_not_ours_is_refused(schema: object) -> None:
    """A newer or unusable schema is refused clearly, never guessed at."""
    with pytest.raises(ResultError, match="schema"):
        TrialResult.from_dict({**ok_trial().to_dict(), "schema": schema})


@pytest.mark.parametrize(
    "change",
    [
        {"median_s": 1e308},
        {"median_s": 5e-324},
        {"samples_s": [10**400]},
        {"status": "fine"},
        {"surprise": 1},
        {"samples_s": ["x"]},
        {"check": {"error": 1}},
    ],
)
def test_an_impossible_trial_is_a_typed_error(change: dict[str, object]) -> None:
    """Unknown fields and words end as one unreadable result."""
    with pytest.raises(ResultError):
        TrialResult.from_dict({**ok_trial().to_dict(), **change})


@pytest.mark.parametrize(
    ("error", "passed"), [(0.0, True), (1e-5, True), (1.1e-5, False), (float("nan"), False)]
)
def test_an_output_that_is_not_a_number_never_passes(error: float, *, passed: bool) -> None:
    """NaN compares false with every tolerance, and so must fail."""
    assert passed is OutputCheck("relative error", error, 1e-5, "float64").passed


@pytest.mark.parametrize("status", [CheckStatus.FAIL, CheckStatus.WARN])
def test_a_bad_finding_needs_reason_and_remedy(status: CheckStatus) -> None:
    """Who is told that something is wrong is told what to do."""
    with pytest.raises(ValueError, match="reason"):
        Finding("id", "title", status, "a", "b")
    with pytest.raises(ValueError, match="remedy"):
        Finding("id", "title", status, "a", "b", reason="because")


def test_a_finding_survives_json() -> None:
    """Findings cross from inside an environment to the host."""
    finding = Finding("torch.version", "PyTorch", CheckStatus.PASS, "2.8.0", "2.8.0")

    assert finding == Finding.from_dict(loads(dumps(finding.to_dict())))
