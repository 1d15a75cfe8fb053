"""One environment against the baseline on one row: comparable at all, and if so, which verdict."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from core.records import TrialResult
from core.status import Flag, TrialStatus
from core.validity import is_number
from report.claims.plausibility import reason as implausible_reason
from report.identity import device_of
from report.schema import Comparison, Difference
from report.statistics import Interval
from report.verdict import Code, Judgement, Verdict, judge, margin_of

PRESETS_WITHOUT_EQUALITY = ("smoke", "quick")
USABLE = (TrialStatus.OK, TrialStatus.LOST, TrialStatus.MISSING, TrialStatus.UNREADABLE)
"""A round lost, missing or unreadable makes fewer rounds; any other fault caps the verdict."""

CAPPING_FLAGS = {Flag.NOISY.value: Code.NOISY, Flag.THROTTLED.value: Code.THROTTLED}
ONE_SIDED_FLAGS = (Flag.FELL_BACK_TO_EAGER.value, Flag.CPU_KERNEL.value)


def compare(
    baseline: Sequence[TrialResult],
    other: Sequence[TrialResult],
    *,
    preset: str,
    also_differs: Sequence[Difference],
    allow_other_device: bool = False,
) -> Comparison:
    """Judge one row. Both sides hold their trials by round, one per planned round.

    Args:
        baseline: the baseline's trials.
        other: the other environment's trials.
        preset: the run's preset; the small ones never show *no difference*.
        also_differs: what stands beside the ratio.
        allow_other_device: set two devices of different names against each other all the same.
    """
    pairs = _pairs(baseline, other)
    if not pairs:
        return _no_ratio(Verdict.NOT_MEASURED, Code.STATUS, "not ok on both sides", also_differs)
    olds, news = [old for old, _ in pairs], [new for _, new in pairs]
    code, reason = _obstacle(olds, news, allow_other_device=allow_other_device)
    if code is not None:
        return _no_ratio(Verdict.NOT_COMPARABLE, code, reason, also_differs)
    judgement = judge(
        [_seconds(trial) for trial in olds],
        [_seconds(trial) for trial in news],
        margin=_margin([*olds, *news]),
        caps=_caps(baseline, other),
        may_be_equal=preset not in PRESETS_WITHOUT_EQUALITY,
    )
    return _comparison(judgement, pairs=len(pairs), also_differs=also_differs)


def explain(judgement: Judgement) -> str:
    """The codes of a judgement as half a sentence."""
    band = f"the ±{judgement.margin:.1%} margin"
    words = {
        Code.ABOVE_MARGIN: f"the interval lies above {band}",
        Code.BELOW_MARGIN: f"the interval lies below {band}",
        Code.INSIDE_MARGIN: f"the interval lies inside {band}",
        Code.ACROSS_MARGIN: f"the interval crosses the edge of {band}",
        Code.ONE_ROUND: "one round shows no spread between trials",
        Code.TOO_FEW_ROUNDS: "fewer than 6 rounds cannot show that there is no difference",
        Code.PRESET: "this preset is too small to show that there is no difference",
        Code.NOISY: "a trial was noisy",
        Code.THROTTLED: "the device slowed down for heat or a hardware reason",
        Code.FAILED_ROUND: "a round failed",
        Code.OTHER_CODE_PATH: "the two sides took different code paths",
    }
    text = "; ".join(words[code] for code in judgement.codes)
    if judgement.rounds_needed is not None:
        text += f"; about {judgement.rounds_needed} rounds would settle it"
    return text


def _pairs(
    baseline: Sequence[TrialResult], other: Sequence[TrialResult]
) -> list[tuple[TrialResult, TrialResult]]:
    by_round = {trial.round: trial for trial in other if trial.status is TrialStatus.OK}
    return [
        (trial, by_round[trial.round])
        for trial in baseline
        if trial.status is TrialStatus.OK and trial.round in by_round
    ]


def _obstacle(
    olds: Sequence[TrialResult], news: Sequence[TrialResult], *, allow_other_device: bool
) -> tuple[Code | None, str]:
    every = [*olds, *news]
    settings = _unequal([_settings(trial) for trial in every])
    if settings:
        return Code.SETTINGS, f"settings differ: {settings}"
    if len({trial.code_hash for trial in every}) > 1:
        return Code.CODE, "the suite's code differs between the trials"
    devices = sorted({str(device_of(trial)[0]) for trial in every})
    if len({device_of(trial) for trial in every}) > 1 and not allow_other_device:
        return Code.DEVICE, f"the devices differ in name or memory: {', '.join(devices)}"
    impossible = next((why for trial in every if (why := implausible_reason(trial))), None)
    return (Code.IMPLAUSIBLE, impossible) if impossible else (None, "")


def _settings(trial: TrialResult) -> dict[str, Any]:
    return {**trial.settings, "calls per sample": trial.calls_per_sample}


def _unequal(settings: Sequence[Mapping[str, Any]]) -> str:
    names = sorted({name for one in settings for name in one})
    values = {name: {_shown(one.get(name)) for one in settings} for name in names}
    unequal = [
        f"{name} ({' / '.join(sorted(found))})" for name, found in values.items() if len(found) > 1
    ]
    return ", ".join(unequal)[:1000]


def _shown(value: object) -> str:
    return "absent" if value is None else repr(value)[:80]


def _caps(baseline: Sequence[TrialResult], other: Sequence[TrialResult]) -> list[Code]:
    every = [*baseline, *other]
    flags = {flag for trial in every if trial.status is TrialStatus.OK for flag in trial.flags}
    caps = [code for flag, code in CAPPING_FLAGS.items() if flag in flags]
    if any(trial.status not in USABLE for trial in every):
        caps.append(Code.FAILED_ROUND)
    if any(_share(baseline, flag) != _share(other, flag) for flag in ONE_SIDED_FLAGS):
        caps.append(Code.OTHER_CODE_PATH)
    return caps


def _share(trials: Sequence[TrialResult], flag: str) -> float:
    good = [trial for trial in trials if trial.status is TrialStatus.OK]
    return sum(flag in trial.flags for trial in good) / len(good)


def _margin(trials: Sequence[TrialResult]) -> float:
    block = min(_seconds(trial) * trial.calls_per_sample for trial in trials)
    said = [trial.metrics.get("timer_resolution_s") for trial in trials]
    known = [float(value) for value in said if is_number(value) and value is not None]
    resolution = max(known) if known else None
    return margin_of(trials[0].device, block_s=block, resolution_s=resolution)


def _seconds(trial: TrialResult) -> float:
    if trial.median_s is None:
        raise ValueError("an ok trial has its median")
    return trial.median_s


def _comparison(
    judgement: Judgement, *, pairs: int, also_differs: Sequence[Difference]
) -> Comparison:
    interval: Interval | None = judgement.interval
    return Comparison(
        verdict=judgement.verdict,
        codes=list(judgement.codes),
        reason=explain(judgement),
        ratio=judgement.ratio,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        confidence=interval.confidence if interval else None,
        pairs=pairs,
        margin=judgement.margin,
        rounds_needed=judgement.rounds_needed,
        also_differs=list(also_differs),
    )


def _no_ratio(
    verdict: Verdict, code: Code, reason: str, also_differs: Sequence[Difference]
) -> Comparison:
    return Comparison(
        verdict=verdict,
        codes=[code],
        reason=reason,
        ratio=None,
        low=None,
        high=None,
        confidence=None,
        pairs=0,
        margin=None,
        rounds_needed=None,
        also_differs=list(also_differs),
    )
