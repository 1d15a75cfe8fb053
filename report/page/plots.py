"""Every plot of a report: inside the page, and as files beside it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Mapping, Sequence

from matplotlib.figure import Figure

from report.page import draw, svg
from report.page.forest import NARROW, WIDE, forest, marks
from report.page.model import View
from report.page.pairs import title
from report.page.strip import has_times, strip
from report.schema import Report, Row
from report.words import Words, words

FOLDER = "plots"


@dataclass(frozen=True)
class Plot:
    """One plot. ``wide`` and ``narrow`` are SVG elements; without ``narrow`` one serves all."""

    wide: str
    narrow: str
    title: str
    files: Mapping[str, bytes]


def forests(views: Sequence[View], language: Words) -> dict[int, Plot]:
    """A forest plot for every view in which at least one row has a ratio, by the view's index."""
    return {view.index: plot for view in views if (plot := _forest(view, language))}


def strips(report: Report, language: Words) -> dict[int, Plot]:
    """A distribution for every row in which anything was measured, by the row's index."""
    measured = ((i, row) for i, row in enumerate(report.rows) if has_times(row.results))
    return {index: _strip(index, row, language) for index, row in measured}


def _forest(view: View, language: Words) -> Plot | None:
    rows = marks(view, language)
    if not any(row.ratio for row in rows):
        return None
    name = f"ratios-{view.index}"
    heading = language("plot.ratios", title=title(view, language))
    counts = Counter(row.verdict for row in rows)
    told = language.listed(
        language("plot.told", n=n, verdict=language(f"verdict.{verdict.value}"))
        for verdict, n in counts.items()
    )
    about = language("plot.ratios-about", told=told)
    wide, narrow = forest(rows, WIDE, language), forest(rows, NARROW, language)
    pictured = _for_pictures(language)
    picture = wide if pictured is language else forest(marks(view, pictured), WIDE, pictured)
    path = f"{FOLDER}/ratios-{_slug(view.device)}-{view.index + 1}-{_slug(view.other)}"
    plot = _plot(wide, name, heading, about, path)
    small = svg.inline(draw.svg(narrow), name=f"{name}-n", title=heading, description=about)
    return replace(plot, narrow=small, files={**plot.files, f"{path}.png": draw.png(picture)})


def _strip(index: int, row: Row, language: Words) -> Plot:
    figure = strip(row.results, language)
    name = f"{row.workload}/{row.variant}"
    heading = language("plot.times", name=name, device=row.device)
    slug = f"{_slug(row.workload)}-{_slug(row.variant)}"
    path = f"{FOLDER}/times-{index + 1}-{_slug(row.device)}-{slug}"
    about = language("plot.times-about")
    plot = _plot(figure, f"times-{index}", heading, about, path)
    return replace(plot, files={**plot.files, f"{path}.png": draw.png(figure)})


def _plot(figure: Figure, name: str, heading: str, about: str, path: str) -> Plot:
    raw = draw.svg(figure)
    file = svg.standalone(raw, name=name, title=heading, description=about)
    element = svg.inline(raw, name=name, title=heading, description=about)
    return Plot(element, "", heading, {f"{path}.svg": file.encode()})


def _for_pictures(language: Words) -> Words:
    """A picture holds drawn letters: English where this machine has no font for the language."""
    return language if language.language != "zh" or draw.chinese_fonts() else words("en")


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "_", name)[:60].strip("._") or "x"
