"""What a user sees while a run is played: plain lines, or a bar where there is a terminal."""

from __future__ import annotations

import time
from typing import Callable, Protocol, Sequence

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

from core.records import TrialResult
from core.status import TrialStatus
from runs.cells import PlannedTrial
from runs.plan import Plan

_LONGEST_REASON = 160


class Progress(Protocol):
    """What ``execute`` tells while it plays."""

    def start(self, plan: Plan, trials: Sequence[PlannedTrial]) -> None:
        """Before the first trial; ``trials`` are those that have no result yet."""

    def trial_started(self, trial: PlannedTrial) -> None:
        """A process is about to be started."""

    def trial_done(self, trial: PlannedTrial, result: TrialResult) -> None:
        """A result has been written."""

    def stop(self) -> None:
        """After the last trial, or after an interruption."""


def make_progress(console: Console) -> Progress:
    """A bar on a terminal, plain lines everywhere else."""
    return BarProgress(console) if console.is_terminal else LineProgress(_printer(console))


def announcement(plan: Plan, trials: Sequence[PlannedTrial]) -> list[str]:
    """What will run and about how long it takes, one line each."""
    variants = len({trial.cell.row for trial in plan.trials})
    rest = f" of {len(plan.trials)}" if len(trials) != len(plan.trials) else ""
    lines = [
        f"Run {plan.run_id}: preset {plan.preset} on {plan.device}, engine {plan.engine}",
        f"Environments: {', '.join(map(_marked(plan), plan.environments))}",
        ", ".join(
            [
                _count(variants, "variant"),
                _count(plan.rounds, "round"),
                f"{len(trials)}{rest} trials to play",
            ]
        ),
        f"About {duration(sum(plan.estimate(trial) for trial in trials))}",
    ]
    lines += [f"Left out: {x.workload}/{x.variant} {x.reason}" for x in plan.left_out]
    return lines + list(plan.notes)


def duration(seconds: float) -> str:
    """``45 s``, ``12 min`` or ``2 h 05 min``."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def trial_line(trial: PlannedTrial, result: TrialResult) -> str:
    """What became of one trial: its median time, or its status and reason."""
    name = f"{trial.cell.environment} {trial.cell.device} {trial.cell.workload}"
    head = f"r{trial.round + 1} {name}/{trial.cell.variant}: {result.status.value}"
    if result.status is TrialStatus.OK and result.median_s is not None:
        flags = f"[{', '.join(result.flags)}]" if result.flags else ""
        return _one_line(f"{head} {_time(result.median_s)} {flags}")
    return f"{head}: {_one_line(result.reason)[:_LONGEST_REASON]}"


class LineProgress:
    """One line per trial, with its number, for logs and pipes."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._done = 0
        self._total = 0
        self._started = 0.0

    def start(self, plan: Plan, trials: Sequence[PlannedTrial]) -> None:
        """Say what will run."""
        self._total = len(trials)
        self._started = time.monotonic()
        for line in announcement(plan, trials):
            self._write(line)

    def trial_started(self, trial: PlannedTrial) -> None:
        """Nothing: a line follows when it is done."""

    def trial_done(self, trial: PlannedTrial, result: TrialResult) -> None:
        """One line."""
        self._done += 1
        self._write(f"[{self._done}/{self._total}] {trial_line(trial, result)}")

    def stop(self) -> None:
        """Say how many were played and how long it took."""
        spent = duration(time.monotonic() - self._started)
        self._write(f"Played {self._done} of {self._total} trials in {spent}")


class BarProgress:
    """A bar with the trial in progress; what is not ok stays above it as a line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Bar(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
        )
        self._task: TaskID | None = None

    def start(self, plan: Plan, trials: Sequence[PlannedTrial]) -> None:
        """Say what will run, then show the bar."""
        for line in announcement(plan, trials):
            self._console.print(Text(line))
        self._task = self._bar.add_task("", total=len(trials))
        self._bar.start()

    def trial_started(self, trial: PlannedTrial) -> None:
        """Name the trial in progress."""
        cell = trial.cell
        text = f"r{trial.round + 1} {cell.environment} {cell.workload}/{cell.variant}"
        if self._task is not None:
            self._bar.update(self._task, description=text)

    def trial_done(self, trial: PlannedTrial, result: TrialResult) -> None:
        """Move the bar."""
        if result.status is not TrialStatus.OK:
            self._console.print(Text(trial_line(trial, result)))
        if self._task is not None:
            self._bar.advance(self._task)

    def stop(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def _printer(console: Console) -> Callable[[str], None]:
    return lambda line: console.print(Text(line), soft_wrap=True)


def _marked(plan: Plan) -> Callable[[str], str]:
    return lambda name: f"{name} (baseline)" if name == plan.baseline else name


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.4g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
