"""The results table: medians, spread, ratio, interval, verdict, status and reason."""

from __future__ import annotations

from typing import Sequence

from core.status import TrialStatus
from report.page.model import Cell, Line, Pair, Results, Said, View
from report.page.pairs import conditions, title
from report.page.reasons import reasons
from report.schema import Component, Report, Result, Spread
from report.words import Words


def results(report: Report, views: Sequence[View], words: Words) -> list[Results]:
    """One table per view."""
    return [
        Results(
            view=view,
            title=title(view, words),
            conditions=conditions(report, view, words),
            lines=tuple(_line(view, pair, words) for pair in view.pairs),
            also=_also(view, report.components, words),
        )
        for view in views
    ]


def _line(view: View, pair: Pair, words: Words) -> Line:
    comparison = pair.comparison
    low = comparison.low if comparison else None
    high = comparison.high if comparison else None
    ratio = comparison.ratio if comparison else None
    names = (pair.baseline, pair.other) if pair.other else (pair.baseline,)
    return Line(
        name=pair.name,
        anchor=f"r-{view.index}-{pair.index}",
        cells=tuple(_cell(name, pair.row.results.get(name), words) for name in names),
        ratio=words.ratio(ratio) if ratio else "",
        interval=words.interval(low, high) if low is not None and high is not None else "",
        ratio_value=ratio,
        kind=comparison.verdict.value if comparison else "",
        verdict=words(f"verdict.{comparison.verdict.value}") if comparison else "",
        statuses=tuple(sorted({result.status.value for result in pair.sides.values()})),
        reasons=reasons(pair, words),
    )


def _cell(environment: str, result: Result | None, words: Words) -> Cell:
    if result is None:
        return Cell(environment, words("cell.not-planned"), "", "", None)
    status = "" if result.status is TrialStatus.OK else words(f"status.{result.status.value}")
    if result.median_s is None:
        return Cell(environment, "", "", status, None)
    width = result.spread.high_s - result.spread.low_s if result.spread else None
    time = words.seconds(result.median_s, width=width)
    return Cell(environment, time, _detail(result, words), status, result.median_s)


def _detail(result: Result, words: Words) -> str:
    of = result.ok == result.planned
    trials = f"n={result.ok}" if of else f"n={result.ok}/{result.planned}"
    return words.listed([*spread_words(result.spread, words), trials])


def spread_words(spread: Spread | None, words: Words) -> list[str]:
    """How wide the values lie, and over what."""
    if spread is None:
        return []
    relative = words.percent(spread.relative)
    if spread.over == "rounds":
        return [words("spread.rounds", relative=relative)]
    return [words("spread.samples", relative=relative, samples=words.count("sample", spread.n))]


def _also(view: View, components: Sequence[Component], words: Words) -> tuple[Said, ...]:
    """What differs beside the ratios; named per row only where rows differ in that."""
    keys = {component.label: component.key for component in components}
    groups: dict[str, list[str]] = {}
    for pair in view.pairs:
        comparison = pair.comparison
        if comparison and comparison.ratio and comparison.also_differs:
            text = words.listed(
                f"{words.named('component', keys.get(d.label, d.label))} {d.baseline} → {d.other}"
                for d in comparison.also_differs
            )
            groups.setdefault(text, []).append(pair.name)
    if len(groups) == 1:
        return (Said(words("also.every"), next(iter(groups))),)
    return tuple(Said(words("also.some", names=words.listed(n)), t) for t, n in groups.items())
