"""Numbers for people: a unit, and as many digits as the spread leaves meaning to."""

from __future__ import annotations

import math

_TIME_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
_BINARY_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1))
_RATE_UNITS = (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0))

_FARTHEST_LOW, _FARTHEST_HIGH = 0.001, 1000


def seconds(value: float, *, width: float | None = None) -> str:
    """A time in the unit that suits it.

    Args:
        value: seconds.
        width: how wide the values lie, seconds. The digits shown reach one place below it, 3 at
            least, so that a ratio printed beside two times follows from them, and 4 at most.
    """
    unit, scale = next((u for u in _TIME_UNITS if value >= u[1]), _TIME_UNITS[-1])
    return f"{significant(value / scale, _digits(value, width))} {unit}"


def ratio(value: float) -> str:
    """``2.97×``; near 1, where the third decimal counts, ``1.023×``."""
    return f"{_ratio(value)}×"


def interval(low: float, high: float) -> str:
    """``[2.90, 3.05]``; an end beyond a thousandfold shows that it is."""
    return f"[{_end(low)}, {_end(high)}]"


def percent(relative: float) -> str:
    """``0.3 %``, ``2.1 %``, ``14 %``."""
    value = 100 * relative
    return f"{value:.0f} %" if value >= 10 else f"{value:.1f} %"


def memory(number: float) -> str:
    """Bytes in binary units."""
    unit, scale = next((u for u in _BINARY_UNITS if number >= u[1]), _BINARY_UNITS[-1])
    return f"{significant(number / scale, 3)} {unit}"


def rate(number: float, unit: str) -> str:
    """A rate with a decimal prefix: ``15.8 TFLOP/s``."""
    prefix, scale = next((u for u in _RATE_UNITS if number >= u[1]), _RATE_UNITS[-1])
    return f"{significant(number / scale, 3)} {prefix}{unit}"


def significant(value: float, digits: int) -> str:
    """A number with so many significant digits and no exponent."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{value:.{max(decimals, 0)}f}"


def _digits(value: float, width: float | None) -> int:
    if width is None:
        return 3
    if width <= 0:
        return 4
    places = math.floor(math.log10(value)) - math.floor(math.log10(width)) + 2
    return min(max(places, 3), 4)


def _end(value: float) -> str:
    if value < _FARTHEST_LOW:
        return f"<{_FARTHEST_LOW:g}"
    return f">{_FARTHEST_HIGH:g}" if value > _FARTHEST_HIGH else _ratio(value)


def _ratio(value: float) -> str:
    return f"{value:.3f}" if 0.5 <= value < 2 else significant(value, 3)
