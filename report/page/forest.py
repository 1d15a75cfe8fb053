"""The forest plot: every ratio with its interval on a logarithmic axis, one row a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from report.page.draw import BAND, FASTER, INK, MUTED, SLOWER, axis, canvas, rule, settings, write
from report.page.model import View
from report.page.scale import Scale, ratio_scale
from report.schema import Comparison
from report.text import shortened
from report.verdict import Verdict
from report.words import Words

_COLOUR = {Verdict.FASTER: FASTER, Verdict.SLOWER: SLOWER, Verdict.NO_DIFFERENCE: INK}
_MARKER = {Verdict.FASTER: ">", Verdict.SLOWER: "<", Verdict.NO_DIFFERENCE: "s"}


@dataclass(frozen=True)
class Layout:
    """Where things stand, in pixels; ``above`` puts a row's texts over its line."""

    width: int
    left: int
    right: int
    row: int
    name: int
    text: float
    above: bool
    ticks: int


WIDE = Layout(width=1120, left=330, right=890, row=27, name=40, text=13, above=False, ticks=9)
NARROW = Layout(width=350, left=12, right=338, row=42, name=25, text=11, above=True, ticks=6)
_TOP, _BOTTOM = 34, 26
_ROOM_FOR_WORD, _TEXT = 74, 21


@dataclass(frozen=True)
class Mark:
    """One row of the plot; without a ratio ``said`` is the verdict."""

    name: str
    verdict: Verdict
    ratio: float | None
    low: float | None
    high: float | None
    margin: float | None
    said: str


def marks(view: View, words: Words) -> list[Mark]:
    """The rows of a view that were compared at all."""
    return [
        Mark(p.name, c.verdict, c.ratio, c.low, c.high, c.margin, _said(c, words))
        for p in view.pairs
        if (c := p.comparison)
    ]


def forest(rows: Sequence[Mark], layout: Layout, words: Words) -> Figure:
    """The plot of these rows, at least one of which has a ratio."""
    ends = [end for row in rows for end in (row.low, row.high) if end is not None and end > 0]
    scale = ratio_scale([row.ratio for row in rows if row.ratio], ends)
    bottom = _TOP + layout.row * len(rows)
    with settings():
        figure, axes = canvas(layout.width, bottom + _BOTTOM)
        for number, row in enumerate(rows):
            _band(axes, scale, layout, row, top=_TOP + number * layout.row)
        labels = [(value, f"{value:g}") for value in scale.ticks(layout.ticks)]
        spans = _spans(layout, len(rows))
        axis(axes, scale, left=layout.left, right=layout.right, spans=spans,
             labels=labels, size=layout.text - 1)  # fmt: skip
        _head(axes, scale, layout, spans, words)
        for number, row in enumerate(rows):
            _row(axes, scale, layout, row, top=_TOP + number * layout.row)
    return figure


def _said(comparison: Comparison, words: Words) -> str:
    if comparison.ratio is None:
        return words(f"verdict.{comparison.verdict.value}")
    text = words.ratio(comparison.ratio)
    if comparison.low is None or comparison.high is None:
        return text
    return f"{text} {words.interval(comparison.low, comparison.high)}"


def _x(scale: Scale, layout: Layout, value: float) -> float:
    return layout.left + scale.position(value) * (layout.right - layout.left)


def _spans(layout: Layout, rows: int) -> list[tuple[float, float]]:
    """Where upright lines run: through all rows, or only beside the texts that stand above."""
    if not layout.above:
        return [(_TOP, _TOP + layout.row * rows)]
    tops = (_TOP + layout.row * number for number in range(rows))
    return [(top + _TEXT, top + layout.row) for top in tops]


def _band(axes: Axes, scale: Scale, layout: Layout, row: Mark, *, top: float) -> None:
    if row.margin is None:
        return
    left, right = (_x(scale, layout, v) for v in (1 / (1 + row.margin), 1 + row.margin))
    high, low = top + (_TEXT if layout.above else 0), top + layout.row
    axes.fill((left, right, right, left), (high, high, low, low), color=BAND, linewidth=0)


def _head(axes: Axes, scale: Scale, layout: Layout, spans: Sequence[tuple[float, float]],
          words: Words) -> None:  # fmt: skip
    one = _x(scale, layout, 1)
    for span in spans:
        rule(axes, (one, one), span, colour=MUTED, width=1.2)
    y, size = _TOP - 16, layout.text
    if one > _ROOM_FOR_WORD:
        slower = f"◀ {words('plot.slower')}"
        write(axes, one - 8, y, slower, align="right", size=size, colour=SLOWER)
    if layout.width - one > _ROOM_FOR_WORD:
        write(axes, one + 8, y, f"{words('plot.faster')} ▶", size=size, colour=FASTER)


def _row(axes: Axes, scale: Scale, layout: Layout, row: Mark, *, top: float) -> None:
    y = top + (30 if layout.above else layout.row / 2)
    text_y = top + 12 if layout.above else y
    name = shortened(row.name, layout.name)
    write(axes, 4, text_y, name, size=layout.text)
    colour = MUTED if row.ratio is None else INK
    write(axes, layout.width - 4, text_y, row.said, align="right", size=layout.text, colour=colour)
    if row.ratio is not None:
        _interval(axes, scale, layout, row, y)


def _interval(axes: Axes, scale: Scale, layout: Layout, row: Mark, y: float) -> None:
    colour = _COLOUR.get(row.verdict, MUTED)
    if row.low is not None and row.high is not None:
        ends = (_x(scale, layout, row.low), _x(scale, layout, row.high))
        rule(axes, ends, (y, y), colour=colour, width=2)
        inside = (row.low >= scale.low, row.high <= scale.high)
        for x, is_inside, arrow in zip(ends, inside, ("<", ">"), strict=True):
            axes.plot(x, y, marker="|" if is_inside else arrow, markersize=7, color=colour)
    filled = row.verdict in _MARKER
    axes.plot(_x(scale, layout, row.ratio or 1), y, marker=_MARKER.get(row.verdict, "o"),
              markersize=8, color=colour, markerfacecolor=colour if filled else "white",
              markeredgewidth=1.6)  # fmt: skip
