"""Play a plan: one fresh process per trial, one file per result, whatever happens."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from core.records import TrialResult
from core.status import TrialStatus
from engines.base import Engine, Target
from runs.cells import PlannedTrial
from runs.parse import parse
from runs.plan import Plan
from runs.progress import Progress
from runs.sessions import Sessions
from runs.store import RunFolder


@dataclass(frozen=True)
class RunOutcome:
    """What became of a run's execution; the report says what became of its trials.

    ``faults`` are sentences about sessions that could not be taken down cleanly.
    """

    played: int
    planned: int
    counts: Mapping[str, int]
    interrupted: bool
    faults: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """130 after Ctrl-C; 1 where a trial is at fault or something is left over; else 0."""
        if self.interrupted:
            return 130
        at_fault = any(TrialStatus(status).is_fault for status in self.counts)
        return 1 if at_fault or self.faults else 0


def execute(
    plan: Plan,
    engine: Engine,
    targets: Mapping[str, Target],
    folder: RunFolder,
    progress: Progress,
) -> RunOutcome:
    """Play every trial of the plan that has no result yet.

    A new run and a resumed one are played alike. Ctrl-C ends the trial in progress, closes every
    session and keeps the results so far.

    Raises:
        InputError: another process works on this run.
    """
    player = _Player(plan, folder, progress)
    with folder.lock():
        trials = folder.missing(plan)
        progress.start(plan, trials)
        sessions = Sessions(engine, targets, label=plan.run_id, opened=player.opened)
        try:
            interrupted = _play_all(player, sessions, trials)
        finally:
            progress.stop()
    return RunOutcome(
        played=player.counts.total(),
        planned=len(plan.trials),
        counts=dict(player.counts),
        interrupted=interrupted,
        faults=tuple(sessions.faults),
    )


def trial_arguments(trial: PlannedTrial, plan: Plan, calls: int | None) -> list[str]:
    """What follows the interpreter's name for one trial."""
    cell = trial.cell
    arguments = ["-m", "workloads", "--trial", "--workload", cell.workload]
    arguments += ["--variant", cell.variant, "--device", cell.device]
    arguments += ["--preset", plan.preset, "--seed", str(plan.seed)]
    return arguments + (["--calls", str(calls)] if calls is not None else [])


class _Player:
    """Plays trials one by one and keeps what has to be remembered between them."""

    def __init__(self, plan: Plan, folder: RunFolder, progress: Progress) -> None:
        self._plan = plan
        self._folder = folder
        self._progress = progress
        self._calls = folder.calls()
        self.counts: Counter[str] = Counter()

    def opened(self, environment: str, identity: Mapping[str, Any]) -> None:
        self._folder.write_session(environment, identity)

    def play(self, trial: PlannedTrial, sessions: Sessions) -> None:
        row = "/".join(trial.cell.row)
        self._progress.trial_started(trial)
        outcome = sessions.python(
            trial.cell.environment,
            trial_arguments(trial, self._plan, self._calls.get(row)),
            device=self._plan.device,
            timeout_s=self._plan.limit(trial),
        )
        result = parse(outcome, trial, self._plan)
        self._folder.write_trial(trial, result)
        self._freeze(row, result)
        self.counts[result.status.value] += 1
        self._progress.trial_done(trial, result)

    def _freeze(self, row: str, result: TrialResult) -> None:
        if result.status is TrialStatus.OK and row not in self._calls:
            self._calls[row] = result.calls_per_sample
            self._folder.write_calls(self._calls)


def _play_all(player: _Player, sessions: Sessions, trials: Sequence[PlannedTrial]) -> bool:
    """Play trials in order; True where the user interrupted."""
    try:
        with sessions:
            for trial in trials:
                player.play(trial, sessions)
    except KeyboardInterrupt:
        return True
    return False
