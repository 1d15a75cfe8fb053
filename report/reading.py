"""Read a run's files as what they are: data from elsewhere. One bad file is one bad row."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Mapping

from core import jsonio
from core.errors import ResultError
from core.records import TrialResult
from core.status import TrialStatus

LARGEST_TRIAL = 16 * 1024 * 1024
LARGEST_OTHER = 4 * 1024 * 1024
LONGEST_TEXT = 4000
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*\.json")


@dataclass(frozen=True)
class Planned:
    """A trial as plan.json lists it."""

    environment: str
    device: str
    workload: str
    variant: str
    round: int
    file: str

    @property
    def row(self) -> tuple[str, str, str]:
        """Device, workload and variant."""
        return self.device, self.workload, self.variant


def read_object(path: Path, *, max_bytes: int = LARGEST_OTHER) -> dict[str, Any]:
    """A JSON object from a regular file that is no symbolic link.

    Raises:
        ResultError: anything else.
    """
    if path.is_symlink():
        raise ResultError(f"{path.name} is a symbolic link.", remedy="Put the file itself there.")
    data = jsonio.read(path, max_bytes=max_bytes)
    if not isinstance(data, dict):
        raise ResultError(f"{path.name} holds no JSON object.", remedy="Write it again.")
    return data


def planned_trials(plan: Mapping[str, Any]) -> list[Planned]:
    """The trials of a plan in their order.

    Raises:
        ResultError: the list is not what a plan holds, or a file name leaves the folder.
    """
    try:
        trials = [_planned(item) for item in plan["trials"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ResultError(
            "plan.json lists no readable trials.", why=f"{error}.", remedy="Start a new run."
        ) from error
    if len({trial.file for trial in trials}) != len(trials):
        raise ResultError("plan.json lists a trial twice.", remedy="Start a new run.")
    return trials


def read_trial(folder: Path, planned: Planned, *, preset: str) -> TrialResult:
    """The result of a planned trial, or a typed stand-in that says why there is none."""
    path = folder / planned.file
    if not path.exists() and not path.is_symlink():
        remedy = "Resume the run to play it."
        return _stand_in(planned, preset, TrialStatus.MISSING, "it was planned, not played", remedy)
    try:
        result = TrialResult.from_dict(read_object(path, max_bytes=LARGEST_TRIAL))
        _refuse_impossible(result, planned)
    except ResultError as error:
        reason = f"{error.what} {error.why}".strip().replace(str(path), path.name)
        return _stand_in(planned, preset, TrialStatus.UNREADABLE, reason, error.remedy)
    except OSError as error:
        remedy = "Check its permissions."
        return _stand_in(planned, preset, TrialStatus.UNREADABLE, str(error), remedy)
    return _checked(result)


def _checked(result: TrialResult) -> TrialResult:
    if result.status is not TrialStatus.OK:
        return result
    if result.check is not None and not result.check.passed:
        reason = f"its output is off by {result.check.error:.3g} ({result.check.measure})"
        return replace(result, status=TrialStatus.FAILED, reason=reason)
    absent = [name for name in ("settings", "identity") if not getattr(result, name)]
    if not result.code_hash:
        absent.append("code hash")
    if absent:
        return replace(
            result,
            status=TrialStatus.UNVERIFIABLE,
            reason=f"the result carries no {' and no '.join(absent)}",
            remedy="Run this trial again with this version of the tool.",
        )
    return result


def _refuse_impossible(result: TrialResult, planned: Planned) -> None:
    said = (result.environment, result.device, result.workload, result.variant, result.round)
    if said != (planned.environment, *planned.row, planned.round):
        raise ResultError(f"It answers for another trial: {said}.", remedy="Run it again.")


def clip(text: object) -> str:
    """Text of bounded length; the end is kept, where a log says what happened."""
    return str(text)[-LONGEST_TEXT:]


def _planned(item: Mapping[str, Any]) -> Planned:
    names = [item[key] for key in ("environment", "device", "workload", "variant", "file")]
    if not all(isinstance(name, str) and len(name) <= 400 for name in names):
        raise ValueError("a name is not text")
    if not _FILE.fullmatch(item["file"]):
        raise ValueError(f"{item['file']!r} is not a result's file name")
    if isinstance(item["round"], bool) or not isinstance(item["round"], int):
        raise TypeError("a round is not a number")
    if item["device"] not in ("cpu", "cuda"):
        raise ValueError(f"{item['device']!r} is not a device")
    environment, device, workload, variant, file = names
    return Planned(environment, device, workload, variant, item["round"], file)


def _stand_in(
    planned: Planned, preset: str, status: TrialStatus, reason: str, remedy: str
) -> TrialResult:
    return TrialResult(
        environment=planned.environment,
        device=planned.device,
        workload=planned.workload,
        variant=planned.variant,
        round=planned.round,
        preset=preset,
        status=status,
        reason=clip(reason),
        remedy=remedy,
    )
