"""The raw distribution of one row: a mark per trial median, or the quartiles of one trial."""

from __future__ import annotations

from itertools import pairwise
from typing import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from report.page.draw import BAND, INK, LINE, MUTED, axis, canvas, rule, settings, write
from report.page.scale import Scale, time_scale
from report.schema import Result, Spread
from report.text import shortened
from report.words import Words

WIDTH, LEFT, RIGHT = 350, 28, 322
_TOP, _ROW, _BOTTOM = 4, 40, 24
_NAME = 34


def has_times(results: Mapping[str, Result]) -> bool:
    """Whether there is anything to draw."""
    return any(_known(result) for result in results.values())


def strip(results: Mapping[str, Result], words: Words) -> Figure:
    """The plot of a row's environments, at least one of which was measured; times in seconds."""
    shown = {name: result for name, result in results.items() if _known(result)}
    scale = time_scale([value for result in shown.values() for value in _extent(result)])
    bottom = _TOP + _ROW * len(shown)
    with settings():
        figure, axes = canvas(WIDTH, bottom + _BOTTOM)
        labels = _labels(scale, words)
        axis(axes, scale, left=LEFT, right=RIGHT, spans=[(_TOP, bottom)], labels=labels)
        for number, (name, result) in enumerate(shown.items()):
            _environment(axes, scale, name, result, top=_TOP + number * _ROW)
    return figure


def _labels(scale: Scale, words: Words) -> list[tuple[float, str]]:
    """Round times, with as many digits as it takes to tell neighbours apart."""
    ticks = scale.ticks(4)
    steps = [after - before for before, after in pairwise(ticks)]
    return [(t, words.seconds(t, width=10 * min([*steps, t / 10]))) for t in ticks]


def _known(result: Result) -> list[float]:
    return [value for value in result.medians_s if value is not None and value > 0]


def _extent(result: Result) -> Sequence[float]:
    box = _box(result)
    return [*_known(result), *((box.low_s, box.high_s) if box else ())]


def _box(result: Result) -> Spread | None:
    """Quartiles of one trial's samples, where that is what was kept."""
    spread = result.spread
    return spread if spread and spread.over == "samples" and spread.low_s > 0 else None


def _environment(axes: Axes, scale: Scale, name: str, result: Result, *, top: float) -> None:
    y = top + 27
    write(axes, 4, top + 10, shortened(name, _NAME), size=10.5)
    rule(axes, (LEFT, RIGHT), (y, y), colour=LINE)
    box = _box(result)
    if box:
        left, right = _x(scale, box.low_s), _x(scale, box.high_s)
        axes.fill((left, right, right, left), (y - 6, y - 6, y + 6, y + 6), facecolor=BAND,
                  edgecolor=MUTED, linewidth=1)  # fmt: skip
    for value in _known(result):
        axes.plot(_x(scale, value), y, marker="o", markersize=7, color=INK,
                  markerfacecolor="none", markeredgewidth=1.3)  # fmt: skip
    if result.median_s is not None:
        x = _x(scale, result.median_s)
        rule(axes, (x, x), (y - 9, y + 9), colour=INK, width=2)


def _x(scale: Scale, value: float) -> float:
    return LEFT + scale.position(value) * (RIGHT - LEFT)
