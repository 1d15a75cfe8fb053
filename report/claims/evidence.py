"""What a run measured, as the judge of claims needs it: per cell, round by round.

The rounds come from the trials' files. Where only report.json is at hand, it tells the medians and
versions but no settings, so that no claim that names a size can be tested.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence

from core.errors import InputError
from core.records import TrialResult
from core.status import Flag, TrialStatus
from core.validity import is_number
from report import schema
from report.claims.plausibility import flag_implausible
from report.merge import merge
from report.reading import planned_trials, read_object, read_trial
from report.rows import WORST_FIRST

LARGEST_REPORT = 64 * 1024 * 1024
CAPS = {
    Flag.NOISY.value: "a trial was noisy",
    Flag.THROTTLED.value: "the device slowed down for heat or a hardware reason",
    Flag.IMPLAUSIBLE.value: "a reading is faster than the card can be",
    Flag.FELL_BACK_TO_EAGER.value: "it fell back to eager",
}
LOST = (TrialStatus.OK, TrialStatus.LOST, TrialStatus.MISSING, TrialStatus.UNREADABLE)
"""A round that is lost, missing or unreadable makes fewer rounds; other faults cap a verdict."""

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Round:
    """One good trial: seconds per call, and what stands beside it."""

    number: int
    median_s: float
    metrics: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """One cell of a run. ``settings`` is None where nobody wrote them down."""

    environment: str
    device: str
    workload: str
    variant: str
    status: TrialStatus
    reason: str
    rounds: tuple[Round, ...]
    settings: Mapping[str, Any] | None
    identity: Mapping[str, str]
    code: str
    caps: tuple[str, ...]

    @property
    def name(self) -> str:
        """Workload and variant."""
        return f"{self.workload}/{self.variant}"


@dataclass(frozen=True)
class Evidence:
    """A run: its cells, and the PyTorch version of each environment, in the run's order."""

    run: str
    preset: str
    cells: Mapping[Key, Measured]
    torch: Mapping[str, str]

    def find(self, environment: str, device: str, workload: str, variant: str) -> Measured | None:
        """One cell, or None where the run has none."""
        return self.cells.get((environment, device, workload, variant))


def read_run(path: Path) -> Evidence:
    """A run's folder, or a report.json.

    Raises:
        InputError: there is neither.
        ResultError: the report or the plan cannot be read.
    """
    folder = path if path.is_dir() else path.parent
    planned = (folder / "plan.json").is_file()
    if not planned and not (path.is_file() or (folder / "report.json").is_file()):
        raise InputError(
            f"{path} holds no run.",
            why="There is neither a plan.json nor a report.json.",
            remedy="Name a folder that run-all made, or a report.json.",
        )
    report = schema.load(_report(path, folder))
    return evidence(report, _trials(folder, report) if planned else [])


def evidence(report: schema.Report, trials: Sequence[TrialResult]) -> Evidence:
    """Trials where there are any, else what the report tells of them."""
    names = [environment.name for environment in report.environments]
    versions = next((c.values for c in report.components if c.key == "torch"), {})
    cells = _from_trials(trials) if trials else _from_report(report)
    torch = {name: version for name in names if (version := versions.get(name))}
    return Evidence(report.run.id, report.run.preset, {_key(m): m for m in cells}, torch)


def _report(path: Path, folder: Path) -> Mapping[str, Any]:
    file = path if path.is_file() else folder / "report.json"
    return read_object(file, max_bytes=LARGEST_REPORT) if file.is_file() else merge(folder)


def _trials(folder: Path, report: schema.Report) -> list[TrialResult]:
    planned = planned_trials(read_object(folder / "plan.json"))
    found = [read_trial(folder / "trials", item, preset=report.run.preset) for item in planned]
    return [flag_implausible(trial) for trial in found]


def _key(measured: Measured) -> Key:
    return measured.environment, measured.device, measured.workload, measured.variant


def _from_trials(trials: Iterable[TrialResult]) -> list[Measured]:
    groups: dict[Key, list[TrialResult]] = defaultdict(list)
    for trial in trials:
        key = (trial.environment, trial.device, trial.workload, trial.variant)
        groups[key].append(trial)
    return [_cell(key, sorted(group, key=lambda t: t.round)) for key, group in groups.items()]


def _cell(key: Key, trials: Sequence[TrialResult]) -> Measured:
    good = [trial for trial in trials if trial.status is TrialStatus.OK]
    worst = min(trials, key=lambda trial: WORST_FIRST.index(trial.status))
    flags = {flag for trial in good for flag in trial.flags}
    caps = [words for flag, words in CAPS.items() if flag in flags]
    if any(trial.status not in LOST for trial in trials):
        caps.append(f"a round {worst.status.value}: {worst.reason}")
    code = {trial.code_hash for trial in good}
    return Measured(
        *key,
        status=TrialStatus.OK if good else worst.status,
        reason="" if good else worst.reason,
        rounds=tuple(Round(t.round, t.median_s, t.metrics) for t in good if t.median_s is not None),
        settings=_shared([trial.settings for trial in good]),
        identity=_texts(good[0].identity if good else {}),
        code=code.pop() if len(code) == 1 else " ".join(sorted(code)),
        caps=tuple(caps),
    )


def _shared(settings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Settings on which every trial agrees; one that changed is told with all its values."""
    names = dict.fromkeys(name for one in settings for name in one)
    values = {name: [one.get(name) for one in settings] for name in names}
    return {
        name: found[0] if all(v == found[0] for v in found) else " / ".join(map(str, found))
        for name, found in values.items()
    }


def _texts(identity: Mapping[str, Any]) -> dict[str, str]:
    return {
        key: str(value)[:200]
        for key, value in identity.items()
        if isinstance(value, (str, int, float)) and not isinstance(value, bool)
    }


def _from_report(report: schema.Report) -> list[Measured]:
    return [
        _reported(report, row, name, result)
        for row in report.rows
        for name, result in row.results.items()
    ]


def _reported(report: schema.Report, row: schema.Row, name: str, result: schema.Result) -> Measured:
    caps = [words for flag, words in CAPS.items() if flag in result.flags]
    if result.ok < result.planned and result.status not in LOST:
        caps.append(f"a round {result.status.value}: {result.reason}")
    alone = result.metrics if result.ok == 1 else {}  # a median over rounds is no round
    return Measured(
        name,
        row.device,
        row.workload,
        row.variant,
        status=TrialStatus.OK if result.ok else result.status,
        reason="" if result.ok else result.reason,
        rounds=tuple(
            Round(number, median, alone)
            for number, median in enumerate(result.medians_s)
            if is_number(median) and median is not None
        ),
        settings=None,
        identity=_reported_identity(report, name, row.device),
        code=report.run.code_hash,
        caps=tuple(caps),
    )


def _reported_identity(report: schema.Report, name: str, device: str) -> dict[str, str]:
    found = {c.key: value for c in report.components if (value := c.values.get(name))}
    found["cpu"] = report.host.get("CPU", "")
    cards = [d.name for d in report.devices if d.device == "cuda" and name in d.environments]
    if device == "cuda" and cards:
        found["gpu"] = " / ".join(sorted(set(cards)))
    return found
