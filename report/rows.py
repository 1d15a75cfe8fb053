"""One environment's side of a row: its trials over the rounds, brought together."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from core.records import TrialResult
from core.status import TrialStatus
from core.validity import is_number
from report.reading import clip
from report.schema import OutputError, Result, Scalar, Spread
from report.statistics import quartiles, summary

WORST_FIRST = (
    TrialStatus.FAILED,
    TrialStatus.TIMEOUT,
    TrialStatus.LOST,
    TrialStatus.UNREADABLE,
    TrialStatus.UNVERIFIABLE,
    TrialStatus.MISSING,
    TrialStatus.UNSUPPORTED,
    TrialStatus.SKIPPED,
    TrialStatus.OK,
)
MOST_METRICS = 40


def bring_together(trials: Sequence[TrialResult]) -> Result:
    """The result of one cell over its rounds, in their order; one trial at least.

    The status is that of the worst trial; what was measured in the good ones is kept beside it.
    """
    worst = min(trials, key=lambda trial: WORST_FIRST.index(trial.status))
    good = [trial for trial in trials if trial.status is TrialStatus.OK]
    medians = [_median(trial) for trial in trials]
    return Result(
        status=worst.status,
        reason=_reason(worst, trials),
        remedy="" if worst.status is TrialStatus.OK else clip(worst.remedy),
        log="" if worst.status is TrialStatus.OK else clip(worst.log),
        planned=len(trials),
        ok=len(good),
        median_s=summary(_known(medians)).median if good else None,
        medians_s=medians,
        spread=_spread(good),
        samples=sum(len(trial.samples_s) for trial in good),
        flags=sorted({flag[:64] for trial in good for flag in trial.flags}),
        metrics=_metrics(good),
        check=_worst_check(good or [worst]),
    )


def _median(trial: TrialResult) -> float | None:
    return trial.median_s if trial.status is TrialStatus.OK else None


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _reason(worst: TrialResult, trials: Sequence[TrialResult]) -> str:
    if worst.status is TrialStatus.OK:
        return ""
    alike = sum(trial.status is worst.status for trial in trials)
    if alike == len(trials):
        return clip(worst.reason)
    return clip(f"in {alike} of {len(trials)} rounds: {worst.reason}")


def _spread(good: Sequence[TrialResult]) -> Spread | None:
    medians = _known([trial.median_s for trial in good])
    if len(medians) > 1:
        found = summary(medians)
        return Spread(
            over="rounds", low_s=found.low, high_s=found.high, relative=found.relative, n=found.n
        )
    samples = good[0].samples_s if good else ()
    if len(samples) < 2:
        return None
    found = quartiles(samples)
    return Spread(
        over="samples", low_s=found.low, high_s=found.high, relative=found.relative, n=found.n
    )


def _metrics(good: Sequence[TrialResult]) -> dict[str, Scalar]:
    names = list(dict.fromkeys(name for trial in good for name in trial.metrics))
    merged = {
        str(name)[:64]: _merged([trial.metrics[name] for trial in good if name in trial.metrics])
        for name in names[:MOST_METRICS]
    }
    return {name: value for name, value in merged.items() if value is not None}


def _merged(values: Sequence[Any]) -> Scalar:
    """Numbers: their median over the trials. Text and truth values: kept where all agree."""
    if all(is_number(value) for value in values):
        return float(np.median(values))
    if all(isinstance(value, (str, bool)) for value in values) and len(set(values)) == 1:
        return values[0][:200] if isinstance(values[0], str) else bool(values[0])
    return None


def _worst_check(trials: Sequence[TrialResult]) -> OutputError | None:
    checks = [trial.check for trial in trials if trial.check is not None]
    if not checks or not all(is_number(check.error) for check in checks):
        return None
    worst = max(checks, key=lambda check: check.error)
    return OutputError(
        measure=clip(worst.measure),
        error=worst.error,
        tolerance=worst.tolerance,
        reference=clip(worst.reference),
    )
