"""The verdict on two cells: words, margin and reasons, from plain data (docs/report.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Sequence

from report.statistics import CONFIDENCE, Interval, log_ratios, paired_interval, rounds_needed

ROUNDS_FOR_NO_DIFFERENCE = 6
MARGIN = {"cpu": 0.05, "cuda": 0.02}
TIMER_RESOLUTION_S = {"cpu": 1e-7, "cuda": 5e-7}
"""What one reading can resolve: the performance counter of an ordinary kernel, and the half
microsecond that the CUDA runtime's documentation gives for events."""


class Verdict(str, Enum):
    """What the evidence says of one environment against the baseline."""

    FASTER = "faster"
    SLOWER = "slower"
    NO_DIFFERENCE = "no difference"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not comparable"
    NOT_MEASURED = "not measured"


class Code(str, Enum):
    """Why a verdict is what it is."""

    ABOVE_MARGIN = "interval-above-margin"
    BELOW_MARGIN = "interval-below-margin"
    INSIDE_MARGIN = "interval-inside-margin"
    ACROSS_MARGIN = "interval-across-margin"
    ONE_ROUND = "one-round"
    TOO_FEW_ROUNDS = "too-few-rounds"
    PRESET = "preset-shows-no-equality"
    NOISY = "noisy"
    THROTTLED = "throttled"
    FAILED_ROUND = "failed-round"
    OTHER_CODE_PATH = "other-code-path"
    SETTINGS = "settings-differ"
    CODE = "code-differs"
    DEVICE = "device-differs"
    STATUS = "status"
    IMPLAUSIBLE = "implausible"


@dataclass(frozen=True)
class Judgement:
    """A verdict with what it rests on. ``margin`` is relative, ``interval`` of the ratio."""

    verdict: Verdict
    codes: tuple[Code, ...]
    margin: float
    interval: Interval | None = None
    ratio: float | None = None
    rounds_needed: int | None = None


def margin_of(device: str, *, block_s: float, resolution_s: float | None = None) -> float:
    """The relative difference that counts as none.

    Args:
        device: ``cpu`` or ``cuda``.
        block_s: the shorter side's timed block (median times calls per sample), seconds.
        resolution_s: the timer's resolution where the trial says it, seconds.
    """
    resolution = TIMER_RESOLUTION_S[device] if resolution_s is None else resolution_s
    return max(MARGIN[device], resolution / block_s)


def judge(
    baseline: Sequence[float],
    other: Sequence[float],
    *,
    margin: float,
    caps: Sequence[Code] = (),
    may_be_equal: bool = True,
    confidence: float = CONFIDENCE,
) -> Judgement:
    """Judge paired trial medians (seconds, one pair per round, one pair at least).

    Args:
        baseline: the baseline's medians.
        other: the other side's, the same rounds in the same order.
        margin: relative difference that counts as none.
        caps: known causes that hold the verdict at *inconclusive*.
        may_be_equal: False for presets too small to show *no difference*.
        confidence: two-sided, 0 to 1.
    """
    interval = paired_interval(baseline, other, confidence=confidence)
    if interval is None:
        ratio = math.exp(log_ratios(baseline, other)[0])
        codes = (Code.ONE_ROUND, *caps)
        return Judgement(Verdict.INCONCLUSIVE, codes, margin, None, ratio)
    verdict, code = _place(interval, margin, may_be_equal=may_be_equal)
    if caps and verdict is not Verdict.INCONCLUSIVE:
        return Judgement(
            Verdict.INCONCLUSIVE, (*caps, code), margin, interval, ratio=interval.ratio
        )
    needed = None
    if verdict is Verdict.INCONCLUSIVE and not caps:
        needed = rounds_needed(
            log_ratios(baseline, other),
            margin=margin,
            no_difference_from=ROUNDS_FOR_NO_DIFFERENCE,
            confidence=confidence,
        )
    return Judgement(verdict, (code, *caps), margin, interval, interval.ratio, needed)


def _place(interval: Interval, margin: float, *, may_be_equal: bool) -> tuple[Verdict, Code]:
    upper, lower = 1 + margin, 1 / (1 + margin)
    if interval.low > upper:
        return Verdict.FASTER, Code.ABOVE_MARGIN
    if interval.high < lower:
        return Verdict.SLOWER, Code.BELOW_MARGIN
    if not lower < interval.low <= interval.high < upper:
        return Verdict.INCONCLUSIVE, Code.ACROSS_MARGIN
    if interval.n < ROUNDS_FOR_NO_DIFFERENCE:
        return Verdict.INCONCLUSIVE, Code.TOO_FEW_ROUNDS
    if not may_be_equal:
        return Verdict.INCONCLUSIVE, Code.PRESET
    return Verdict.NO_DIFFERENCE, Code.INSIDE_MARGIN
