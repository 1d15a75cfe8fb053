"""From what a process left behind to a typed result. Nothing a process prints is trusted."""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import Any

from core import jsonio
from core.errors import ResultError
from core.records import TrialResult
from core.status import TrialStatus
from engines.base import Outcome
from runs.cells import PlannedTrial
from runs.plan import Plan

LARGEST_RESULT = 16 * 1024 * 1024
"""Bytes of one trial's JSON: a million raw samples take less."""

LOG_END = 4000
"""Characters of a log's end that a result carries."""


def parse(outcome: Outcome, trial: PlannedTrial, plan: Plan) -> TrialResult:
    """The result of one trial, whatever became of its process."""
    if outcome.lost:
        return without_result(
            trial, plan, TrialStatus.LOST, outcome.reason or "the process was taken away", outcome
        )
    if outcome.timed_out:
        reason = f"no result within {plan.limit(trial):.0f} s"
        return without_result(trial, plan, TrialStatus.TIMEOUT, reason, outcome)
    if outcome.returncode != 0:
        reason = how_it_ended(outcome.returncode)
        return without_result(trial, plan, TrialStatus.FAILED, reason, outcome)
    try:
        return _own_words(outcome, trial, plan)
    except ResultError as error:
        reason = f"it printed no usable result: {error.what} {error.why}".strip()
        return without_result(trial, plan, TrialStatus.FAILED, reason, outcome)


def without_result(
    trial: PlannedTrial,
    plan: Plan,
    status: TrialStatus,
    reason: str,
    outcome: Outcome | None = None,
) -> TrialResult:
    """A typed result for a trial that gave none itself."""
    cell = trial.cell
    return TrialResult(
        environment=cell.environment,
        device=cell.device,
        workload=cell.workload,
        variant=cell.variant,
        round=trial.round,
        preset=plan.preset,
        seed=plan.seed,
        status=status,
        reason=reason,
        remedy=_remedy(status),
        elapsed_s=outcome.elapsed_s if outcome else 0.0,
        log=outcome.log[-LOG_END:] if outcome else "",
    )


def how_it_ended(returncode: int) -> str:
    """In words, for a process that ended with something else than 0.

    A shell or a container engine reports death by signal N as 128 + N, Python as -N.
    """
    number = -returncode if returncode < 0 else returncode - 128
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"its process ended with exit status {returncode} and no result"
    hint = ", most likely for using too much memory" if name == "SIGKILL" else ""
    return f"its process was ended by {name}{hint}"


def _own_words(outcome: Outcome, trial: PlannedTrial, plan: Plan) -> TrialResult:
    data = _one_object(outcome.stdout)
    result = TrialResult.from_dict({**data, "round": trial.round})
    _refuse_other_trial(result, trial, plan)
    if result.status in (TrialStatus.MISSING, TrialStatus.UNREADABLE, TrialStatus.UNVERIFIABLE):
        raise ResultError(f"A trial cannot be {result.status.value}.", remedy="Run it again.")
    log = result.log or ("" if result.status is TrialStatus.OK else outcome.log)
    return replace(result, environment=trial.cell.environment, log=log[-LOG_END:])


def _one_object(stdout: bytes) -> dict[str, Any]:
    if len(stdout) > LARGEST_RESULT:
        raise ResultError(
            f"Its output is larger than {LARGEST_RESULT // (1024 * 1024)} MiB.",
            remedy="Run it again.",
        )
    try:
        data = jsonio.loads(stdout.decode("utf-8"), name="Its output")
    except UnicodeDecodeError as error:
        raise ResultError("Its output is not UTF-8.", remedy="Run it again.") from error
    if not isinstance(data, dict):
        raise ResultError("Its output is not one JSON object.", remedy="Run it again.")
    return data


def _refuse_other_trial(result: TrialResult, trial: PlannedTrial, plan: Plan) -> None:
    said = (result.workload, result.variant, result.device, result.preset, result.seed)
    cell = trial.cell
    asked = (cell.workload, cell.variant, cell.device, plan.preset, plan.seed)
    if said != asked:
        raise ResultError(
            "Its output answers for another trial.",
            why=f"Asked was {asked}, answered {said}.",
            remedy="Run it again.",
        )


def _remedy(status: TrialStatus) -> str:
    if status is TrialStatus.TIMEOUT:
        return "Run it alone to see where it hangs, or give it longer with --timeout."
    if status is TrialStatus.LOST:
        return "See why the container or process went away, then resume the run."
    return "Read the end of its log, then run this trial alone."
