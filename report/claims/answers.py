"""How a run answers a claim: a figure, or a ratio of two cells paired by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Sequence, TypeVar

from report.claims.conditions import Difference, Side, Unmet, chosen, differences, side
from report.claims.evidence import Evidence, Measured, Round
from report.claims.load import Figure, Library
from report.claims.quantities import improvement, seconds
from report.claims.schema import Cell, Metric
from report.statistics import geometric_mean, paired_interval
from report.verdict import MARGIN

T = TypeVar("T")


@dataclass(frozen=True)
class Here:
    """What was measured, in the claim's unit: a geometric mean over ``n`` rounds, its interval.

    ``where`` names the cells, ``doubts`` what speaks against the measurement; the interval is None
    with fewer than two rounds.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    where: str
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """One figure, or one ratio of two, as the run answers it.

    ``unmet`` keeps it from being a test; ``margin`` is the relative difference that counts as none.
    """

    here: Here | None
    unmet: tuple[Unmet, ...]
    differences: tuple[Difference, ...]
    margin: float = 0.0


def answers(figure: Figure, known: Library, run: Evidence) -> list[Answer]:
    """One figure or ratio; several where a headline rests on several pairs of its first basis."""
    claim = figure.claim
    if claim.bases:
        pairs = [(known[p.of], known[p.against]) for p in claim.bases[0].pairs]
        return [_ratio(_located(of), _located(against), run) for of, against in pairs]
    if claim.cell and claim.against:
        return [_ratio((figure, claim.cell), (figure, claim.against), run)]
    return [_figure(figure, claim.cell, run)] if claim.cell else []


def _located(figure: Figure) -> tuple[Figure, Cell]:
    if figure.claim.cell is None:
        raise ValueError(f"{figure.id} was measured nowhere")
    return figure, figure.claim.cell


def left_open(figure: Figure) -> tuple[Difference, ...]:
    """What the article leaves unsaid, where nothing here says what was chosen."""
    return tuple(Difference(item.what, "unsaid", "") for item in figure.unsaid)


def _figure(figure: Figure, cell: Cell, run: Evidence) -> Answer:
    found = side(figure, cell, run)
    measured = found.measured
    if measured is None:
        return Answer(None, found.unmet, left_open(figure))
    values = [_value(figure, measured, one) for one in measured.rounds]
    known = [value for value in values if value is not None]
    here = _here(known, _where(measured), measured.caps)
    unmet = (*found.unmet, *_loop(figure, measured))
    return Answer(here, unmet, _differences(figure, cell, measured))


def _ratio(of: tuple[Figure, Cell], against: tuple[Figure, Cell], run: Evidence) -> Answer:
    sides = [(figure, cell, side(figure, cell, run)) for figure, cell in (of, against)]
    unmet = [u for figure, _, found in sides for u in _side_unmet(figure, found)]
    there = [found.measured for _, _, found in sides if found.measured is not None]
    if len(there) < 2 or there[0] is there[1]:
        told = [d for figure, _, _ in sides for d in left_open(figure)]
        return Answer(None, _once(unmet), _once(told))
    unmet += _not_alike(there[0], there[1])
    told = [
        d
        for (figure, cell, _), measured in zip(sides, there, strict=True)
        for d in _differences(figure, cell, measured)
    ]
    as_claimed = len({cell.device for _, cell, _ in sides}) == len({m.device for m in there})
    here = _paired(of[0], against[0], there[0], there[1]) if as_claimed else None
    margin = max(MARGIN[measured.device] for measured in there)
    return Answer(here, _once(unmet), _once(told), margin)


def _differences(figure: Figure, cell: Cell, measured: Measured) -> tuple[Difference, ...]:
    told = (*differences(figure, cell, measured), *chosen(figure, measured))
    if figure.row.calls == 1 or _loops(figure, measured):
        return told
    claimed, here = f"one loop of {figure.row.calls} calls", "medians of blocks, multiplied"
    return (Difference("timing", claimed, here), *told)


def _side_unmet(figure: Figure, found: Side) -> tuple[Unmet, ...]:
    loop = _loop(figure, found.measured) if found.measured else ()
    return (*found.unmet, *loop)


def _loop(figure: Figure, measured: Measured) -> tuple[Unmet, ...]:
    """Where the article's time holds the whole loop, the steady state does not answer for it."""
    if not figure.row.whole_loop or not measured.rounds or _loops(figure, measured):
        return ()
    claimed = f"{figure.row.calls} calls from the first on, without warm-up"
    return (Unmet("timing", claimed, "the steady state"),)


def _loops(figure: Figure, measured: Measured) -> bool:
    """Whether every round played the article's own loop."""
    return all(_loop_s(figure, one) is not None for one in measured.rounds)


def _loop_s(figure: Figure, one: Round) -> float | None:
    """The article's own loop, where the trial played it with as many calls."""
    total, calls = one.metrics.get("article_total_s"), one.metrics.get("article_calls")
    warm = one.metrics.get("article_warmups")
    if not isinstance(total, (int, float)) or calls != figure.row.calls:
        return None
    return None if figure.row.whole_loop and warm != 0 else float(total)


def _value(figure: Figure, measured: Measured, one: Round) -> float | None:
    """One round in the claim's unit."""
    metric = _figure_metric(figure)
    if metric is Metric.GB:
        peak = one.metrics.get("peak_memory_bytes")
        return peak / 1e9 if isinstance(peak, (int, float)) and peak > 0 else None
    if metric is Metric.SAMPLES_PER_S:
        rate = one.metrics.get("samples_per_s")
        return float(rate) if isinstance(rate, (int, float)) and rate > 0 else None
    loop = _loop_s(figure, one) if _loops(figure, measured) else None
    total = one.median_s * figure.row.calls if loop is None else loop
    return total / seconds(metric, 1.0)


def _figure_metric(figure: Figure) -> Metric:
    """A comparison that names its cells itself compares times."""
    return Metric.SECONDS if figure.metric.compares else figure.metric


def _paired(of: Figure, against: Figure, left: Measured, right: Measured) -> Here | None:
    metric = _figure_metric(of)
    ours = {r.number: _value(of, left, r) for r in left.rounds}
    theirs = {r.number: _value(against, right, r) for r in right.rounds}
    ratios = [
        improvement(metric, value, other)
        for number, value in ours.items()
        if value is not None and (other := theirs.get(number)) is not None
    ]
    shared = _where(left).split(", ")
    apart = [part for part in _where(right).split(", ") if part not in shared]
    where = f"{_where(left)} against {', '.join(apart)}"
    return _here(ratios, where, _once([*left.caps, *right.caps]))


def _here(values: Sequence[float], where: str, doubts: tuple[str, ...]) -> Here | None:
    mean = geometric_mean(values)
    if mean is None:
        return None
    interval = paired_interval(values, [1.0] * len(values))
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Here(mean, low, high, len(values), where, doubts)


def _not_alike(left: Measured, right: Measured) -> list[Unmet]:
    """What keeps two cells from being set against each other, beyond what the claim names."""
    found = []
    if left.code != right.code:
        found.append(Unmet("code", "one suite on both sides", "it differs"))
    hardware = "gpu" if left.device == "cuda" else "cpu"
    names = [side.identity.get(hardware, "") for side in (left, right)]
    if left.device == right.device and names[0] != names[1]:
        found.append(Unmet("one device for both sides", *names))
    same = (left.device, left.name) == (right.device, right.name)
    if same and left.settings is not None and right.settings is not None:
        every = sorted({*left.settings, *right.settings})
        unequal = [n for n in every if left.settings.get(n) != right.settings.get(n)]
        found += [
            Unmet(f"{n} alike", str(left.settings.get(n)), str(right.settings.get(n)))
            for n in unequal
        ]
    return found


def _where(measured: Measured) -> str:
    settings = measured.settings or {}
    sizes = [f"{n} {settings[n]}" for n in ("size", "count", "batch") if n in settings]
    hardware = measured.identity.get("gpu" if measured.device == "cuda" else "cpu", "")
    parts = [measured.name, measured.environment, hardware or measured.device, *sizes]
    return ", ".join(part for part in parts if part)


def _once(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))
