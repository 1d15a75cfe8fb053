"""A logarithmic or linear axis: limits, positions and round tick values. Pure arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

_DECADE = {1.6: (1, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5), 8: (1, 1.5, 2, 3, 5, 7), 100: (1, 2, 5)}
_BELOW_ONE = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
FARTHEST = 3.0
"""An interval's end may stretch an axis this many times beyond the outermost ratio."""


@dataclass(frozen=True)
class Scale:
    """Values from ``low`` to ``high``, both positive; ``is_log`` says how they are spread."""

    low: float
    high: float
    is_log: bool = True

    def position(self, value: float) -> float:
        """Where a value lies: 0 at ``low``, 1 at ``high``, held inside."""
        held = min(max(value, self.low), self.high)
        if self.is_log:
            return math.log(held / self.low) / math.log(self.high / self.low)
        return (held - self.low) / (self.high - self.low)

    def ticks(self, most: int) -> list[float]:
        """Round values inside, at most ``most``."""
        values = _log_ticks(self.low, self.high) if self.is_log else _steps(self, most)
        step = math.ceil(len(values) / most)
        anchor = values.index(1.0) % step if 1.0 in values else 0
        return values[anchor::step]


def ratio_scale(ratios: Sequence[float], ends: Sequence[float]) -> Scale:
    """An axis that holds 1, every ratio and, as far as is useful, the ends of the intervals."""
    inner_low, inner_high = min([*ratios, 1 / 1.05]), max([*ratios, 1.05])
    low = max(min([*ends, inner_low]), inner_low / FARTHEST)
    high = min(max([*ends, inner_high]), inner_high * FARTHEST)
    pad = (high / low) ** 0.06
    return Scale(low / pad, high * pad)


def time_scale(values: Sequence[float]) -> Scale:
    """An axis for times, all positive: logarithmic where they lie more than tenfold apart."""
    low, high = min(values), max(values)
    if high / low > 10:
        return Scale(low / 1.3, high * 1.3)
    pad = max(0.12 * (high - low), 0.005 * high)
    return Scale(low - pad, high + pad, is_log=False)


def _log_ticks(low: float, high: float) -> list[float]:
    span = high / low
    steps = next((steps for most, steps in _DECADE.items() if span < most), (1,))
    found = {
        round(step * 10.0**power, 12)
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for step in steps
    }
    if span < 1.6:
        found |= set(_BELOW_ONE)
    return sorted(value for value in found if low <= value <= high)


def _steps(scale: Scale, most: int) -> list[float]:
    raw = (scale.high - scale.low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= raw)
    first = math.ceil(scale.low / step)
    return [n * step for n in range(first, math.floor(scale.high / step) + 1)]
