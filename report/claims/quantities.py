"""Figures in one unit, ratios of figures, and how both are written."""

from __future__ import annotations

from typing import Iterable, Sequence

from report import format as shown
from report.claims.load import Figure
from report.claims.schema import Metric

HIGHER_IS_BETTER = (Metric.SAMPLES_PER_S,)


def improvement(metric: Metric, of: float, against: float) -> float:
    """How many times better ``of`` is than ``against``: less time or memory, more samples/s."""
    return of / against if metric in HIGHER_IS_BETTER else against / of


def division(figures: tuple[Figure, Figure]) -> str:
    """The division behind an improvement, as it is written: ``58.72 / 1.89``."""
    of, against = figures
    swapped = of.metric in HIGHER_IS_BETTER
    upper, lower = (of, against) if swapped else (against, of)
    return f"{plain(upper.value)} / {plain(lower.value)}"


def seconds(metric: Metric, value: float) -> float:
    """A time in seconds.

    Raises:
        ValueError: the metric is no time.
    """
    scale = {Metric.SECONDS: 1.0, Metric.MS: 1e-3}.get(metric)
    if scale is None:
        raise ValueError(f"{metric.value} is no time")
    return value * scale


def samples_per_s(figure: Figure) -> float | None:
    """A figure as a rate, where it is one or says how many samples its time covers."""
    if figure.metric is Metric.SAMPLES_PER_S:
        return figure.value
    if figure.row.samples and figure.metric in (Metric.SECONDS, Metric.MS):
        return figure.row.samples / seconds(figure.metric, figure.value)
    return None


def plain(value: float) -> str:
    """A number as an article would write it: no trailing zeros, no exponent."""
    return f"{value:,.10g}".replace(",", "")


def amount(metric: Metric, value: float) -> str:
    """A measured value with its unit, three digits."""
    if metric.compares:
        return shown.ratio(value)
    unit = "s" if metric is Metric.SECONDS else metric.value
    return f"{shown.significant(value, 3)} {unit}"


def stated(metric: Metric, value: Sequence[float]) -> str:
    """A claim's value with its unit: ``0.87 s``, ``2.17×``, ``15–20 %``."""
    unit = {Metric.SECONDS: " s", Metric.RATIO: "×", Metric.PERCENT: " %"}
    return "–".join(plain(v) for v in value) + unit.get(metric, f" {metric.value}")


def product(factors: Iterable[float]) -> str:
    """Factors as they are multiplied, equal neighbours as a power: ``2 × 4096³``."""
    runs: list[tuple[float, int]] = []
    for factor in factors:
        if runs and runs[-1][0] == factor:
            runs[-1] = (factor, runs[-1][1] + 1)
        else:
            runs.append((factor, 1))
    powers = {1: "", 2: "²", 3: "³"}
    return " × ".join(f"{_grouped(f)}{powers.get(n, f'^{n}')}" for f, n in runs)


def _grouped(value: float) -> str:
    return f"{value:,.15g}" if value >= 100_000 else plain(value)
