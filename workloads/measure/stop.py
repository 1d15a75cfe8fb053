"""When is a measurement settled? Decided on the samples alone."""

from __future__ import annotations

from enum import Enum
from statistics import median
from typing import Sequence

from workloads.measure.rules import Rules

_NORMAL_MAD = 1.4826  # a normal distribution's standard deviation over its median deviation
_STABLE_BAND = 0.1
_STABLE_LIMIT = 0.1
_ENOUGH_AT_CAP = 10


class Stop(str, Enum):
    """Why sampling ended, or that it goes on."""

    GO_ON = "go-on"
    SETTLED = "settled"  # noise below the target
    STABLE = "stable"  # noise above the target, but more samples do not change it
    CAP = "cap"  # time ran out first: the trial is noisy


def noise(samples: Sequence[float]) -> float:
    """Relative spread: scaled median absolute deviation over the median; 0 below 2 samples."""
    if len(samples) < 2:
        return 0.0
    middle = median(samples)
    deviation = median(abs(sample - middle) for sample in samples)
    return _NORMAL_MAD * deviation / middle if middle > 0 else 0.0


def is_stable(samples: Sequence[float]) -> bool:
    """Whether the noise stays below a tenth and moved by under a tenth of itself lately.

    Lately means over the last three tenths of the samples. A larger spread is never stable: it
    is sampled until the cap and called noisy.
    """
    count = len(samples)
    history = [noise(samples[: count * tenths // 10]) for tenths in (7, 8, 9, 10)]
    largest = max(history)
    return largest <= _STABLE_LIMIT and largest - min(history) <= _STABLE_BAND * largest


def decide(samples: Sequence[float], elapsed_s: float, rules: Rules) -> Stop:
    """Go on, or stop and why; ``elapsed_s`` is the time spent sampling.

    Long calls may reach the cap before ``min_samples``; ten quiet samples settle even then.
    """
    enough = len(samples) >= rules.min_samples and elapsed_s >= rules.min_s
    if enough and noise(samples) <= rules.noise:
        return Stop.SETTLED
    if enough and len(samples) >= rules.stable_samples and is_stable(samples):
        return Stop.STABLE
    if elapsed_s >= rules.max_s and len(samples) >= rules.floor_samples:
        quiet = len(samples) >= _ENOUGH_AT_CAP and noise(samples) <= rules.noise
        return Stop.SETTLED if quiet else Stop.CAP
    return Stop.GO_ON
