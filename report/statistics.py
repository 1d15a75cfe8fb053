"""Pure statistics on trial medians. No I/O, no statuses, no words for people.

Everywhere *ratio* is the baseline's time over the other's time: above 1 the other is faster.
The sample is the trial (one fresh process), never the iteration inside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats  # type: ignore[import-untyped]

CONFIDENCE = 0.95
MOST_ROUNDS_NEEDED = 1000


@dataclass(frozen=True)
class Interval:
    """A ratio with its confidence interval, from ``n`` pairs of trials."""

    ratio: float
    low: float
    high: float
    n: int
    confidence: float


@dataclass(frozen=True)
class Summary:
    """Median and extremes of positive numbers, in their own unit."""

    median: float
    low: float
    high: float
    n: int

    @property
    def relative(self) -> float:
        """Width over median, dimensionless."""
        return (self.high - self.low) / self.median


def log_ratios(baseline: Sequence[float], other: Sequence[float]) -> list[float]:
    """Natural logarithm of baseline over other, pair by pair.

    Raises:
        ValueError: unequal lengths, nothing at all, or a value that is not finite and positive.
    """
    if len(baseline) != len(other) or not baseline:
        raise ValueError("pairs are needed, at least one")
    if not all(math.isfinite(value) and value > 0 for value in (*baseline, *other)):
        raise ValueError("times must be finite and positive")
    return [math.log(old / new) for old, new in zip(baseline, other, strict=True)]


def geometric_mean(ratios: Sequence[float]) -> float | None:
    """The geometric mean of positive ratios, nothing clipped; None of none."""
    if not ratios:
        return None
    return math.exp(math.fsum(math.log(ratio) for ratio in ratios) / len(ratios))


def paired_interval(
    baseline: Sequence[float], other: Sequence[float], *, confidence: float = CONFIDENCE
) -> Interval | None:
    """Student's t-interval of the mean log ratio, back on the ratio's scale.

    Args:
        baseline: trial medians, one per round, seconds.
        other: the other side's, the same rounds in the same order.
        confidence: two-sided, 0 to 1.

    Returns:
        None with fewer than two pairs: one pair tells nothing about spread.

    Raises:
        ValueError: unequal lengths, impossible times, or more than 1000 pairs.
    """
    logs = log_ratios(baseline, other)
    if len(logs) > MOST_ROUNDS_NEEDED:
        raise ValueError(f"at most {MOST_ROUNDS_NEEDED} pairs")
    if len(logs) < 2:
        return None
    mean = float(np.mean(logs))
    half = _half_width(float(np.std(logs, ddof=1)), len(logs), confidence)
    return Interval(
        ratio=math.exp(mean),
        low=math.exp(mean - half),
        high=math.exp(mean + half),
        n=len(logs),
        confidence=confidence,
    )


def rounds_needed(
    logs: Sequence[float], *, margin: float, no_difference_from: int, confidence: float = CONFIDENCE
) -> int | None:
    """How many rounds would settle it, if centre and spread stay what they are.

    Args:
        logs: log ratios of the rounds so far, two at least.
        margin: relative, 0.02 for 2 %.
        no_difference_from: the fewest rounds that may show *no difference*.
        confidence: two-sided, 0 to 1.

    Returns:
        The fewest rounds above those at hand; None where 1000 would not do.
    """
    centre, spread, edge = float(np.mean(logs)), float(np.std(logs, ddof=1)), math.log1p(margin)
    n = np.arange(2, MOST_ROUNDS_NEEDED + 1)
    half = _quantiles(confidence) * spread / np.sqrt(n)
    differs = abs(centre) - half > edge
    alike = (abs(centre) + half < edge) & (n >= no_difference_from)
    settled = n[(differs | alike) & (n > len(logs))]
    return int(settled[0]) if len(settled) else None


def summary(values: Sequence[float]) -> Summary:
    """Median, minimum and maximum: the spread over rounds."""
    return Summary(float(np.median(values)), min(values), max(values), len(values))


def quartiles(values: Sequence[float]) -> Summary:
    """Median, first and third quartile: the spread of one trial's samples."""
    low, median, high = (float(q) for q in np.percentile(values, [25, 50, 75]))
    return Summary(median, low, high, len(values))


def _half_width(spread: float, n: int, confidence: float) -> float:
    return float(_quantiles(confidence)[n - 2]) * spread / math.sqrt(n)


@lru_cache(maxsize=8)
def _quantiles(confidence: float) -> npt.NDArray[np.float64]:
    """Student's t for 2 to ``MOST_ROUNDS_NEEDED`` rounds, two-sided."""
    freedom = np.arange(1, MOST_ROUNDS_NEEDED)
    return np.asarray(stats.t.ppf((1 + confidence) / 2, freedom), dtype=np.float64)
