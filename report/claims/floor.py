"""Whether a figure beats the physical limit of its card.

A time needs at least its operations over the card's peak and, where the cache cannot serve it, its
bytes over the memory's bandwidth. The peak is taken at the highest clock that the driver offers:
nobody sampled the article's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from report import format as shown
from report.claims.cards import Card
from report.claims.load import Figure
from report.claims.quantities import HIGHER_IS_BETTER, amount, product, seconds
from report.claims.schema import Metric, Work

FAR = 3.0
"""From so many times the limit on, a figure is called far from it."""


class Limit(str, Enum):
    """A figure beside the limit of its card."""

    POSSIBLE = "possible"
    BEATS = "beats the limit"
    FAR = "far from the limit"
    NONE = "no limit known"


@dataclass(frozen=True)
class FloorResult:
    """``limit`` is in the claim's unit, ``factor`` how many times the figure is worse than it.

    ``formulas`` show how the limit came about, ``reached`` what the figure amounts to.
    """

    status: Limit
    reason: str
    card: str | None = None
    limit: float | None = None
    factor: float | None = None
    formulas: tuple[str, ...] = ()
    reached: str = ""
    note: str = ""


@dataclass(frozen=True)
class _Bounds:
    """Seconds that one call, or one sample, needs for its operations and for its bytes."""

    flop_s: float
    bytes_s: float
    memory_binds: bool

    @property
    def slowest_s(self) -> float:
        """With cold caches."""
        return max(self.flop_s, self.bytes_s)


def judge(figure: Figure, card: Card | None) -> FloorResult:
    """Hold one figure against its card."""
    if figure.metric.compares:
        return FloorResult(Limit.NONE, "a ratio has no limit of its own")
    if figure.claim.cell is None or figure.claim.cell.device == "cpu":
        return FloorResult(Limit.NONE, "cards.toml holds no processor")
    if card is None:
        return FloorResult(Limit.NONE, "the article names no card of cards.toml")
    if figure.metric is Metric.GB:
        return _memory(figure, card)
    work = figure.work
    if work is None or not (work.flop or work.bytes):
        return FloorResult(Limit.NONE, "the article does not say what is computed", card.title)
    return _time(figure, work, card)


def _memory(figure: Figure, card: Card) -> FloorResult:
    limit = card.memory_gib * 2**30 / 1e9
    status = Limit.POSSIBLE if figure.value <= limit else Limit.BEATS
    formula = f"the card has {card.memory_gib:g} GiB = {shown.significant(limit, 3)} GB"
    share = f"{shown.percent(figure.value / limit)} of the card's memory"
    return FloorResult(status, share, card.title, limit, None, (formula,))


def _time(figure: Figure, work: Work, card: Card) -> FloorResult:
    unit_s = _unit_seconds(figure)
    bounds = _Bounds(
        work.flop_count / card.peak(work.precision),
        work.byte_count / card.bandwidth,
        memory_binds=work.byte_count > card.cached_bytes,
    )
    status, reason = _place(unit_s, bounds, work)
    return FloorResult(
        status,
        reason,
        card.title,
        limit=_in_metric(figure, bounds.slowest_s),
        factor=unit_s / bounds.slowest_s,
        formulas=tuple(_formulas(figure, work, card)),
        reached=_reached(work, unit_s, card),
        note=_note(work, bounds),
    )


def _note(work: Work, bounds: _Bounds) -> str:
    parts = [work.note or ""]
    if bounds.bytes_s > bounds.flop_s and not bounds.memory_binds:
        parts.append("less than twice the L2, so a warm cache may be faster than the memory")
    return "; ".join(part for part in parts if part)


def _unit_seconds(figure: Figure) -> float:
    if figure.metric in HIGHER_IS_BETTER:
        return 1 / figure.value
    return seconds(figure.metric, figure.value) / figure.row.calls


def _in_metric(figure: Figure, unit_s: float) -> float:
    if figure.metric in HIGHER_IS_BETTER:
        return 1 / unit_s
    return unit_s * figure.row.calls / seconds(figure.metric, 1.0)


def _place(unit_s: float, bounds: _Bounds, work: Work) -> tuple[Limit, str]:
    if unit_s < bounds.flop_s:
        if work.least:
            return Limit.BEATS, "more operations per second than the card can do"
        return Limit.POSSIBLE, "only with an algorithm that needs fewer operations than counted"
    if unit_s < bounds.bytes_s:
        if bounds.memory_binds:
            return Limit.BEATS, "more bytes per second than the memory can move"
        return Limit.POSSIBLE, "only from the cache: the data are less than twice the L2"
    factor = unit_s / bounds.slowest_s
    times = f"{shown.significant(factor, 2)} times the limit"
    return (Limit.FAR if factor >= FAR else Limit.POSSIBLE), times


def _formulas(figure: Figure, work: Work, card: Card) -> list[str]:
    """How each limit came about, the deciding one first."""
    rate = figure.metric in HIGHER_IS_BETTER
    calls = [float(figure.row.calls)] if figure.row.calls > 1 and not rate else []
    found = []
    if work.flop:
        peak = card.peak(work.precision)
        over = f"{work.precision.upper()} {shown.rate(peak, 'FLOP/s')} at {card.highest_mhz} MHz"
        count = f"{product([*calls, *work.flop])} FLOP"
        found.append((work.flop_count / peak, count, over))
    if work.bytes:
        count = f"{product([*calls, *work.bytes])} bytes"
        over = f"{card.bandwidth_gb_s:g} GB/s"
        found.append((work.byte_count / card.bandwidth, count, over))
    slowest_first = sorted(found, key=lambda one: -one[0])
    return [_formula(figure, *one) for one in slowest_first]


def _formula(figure: Figure, unit_s: float, count: str, over: str) -> str:
    limit = amount(figure.metric, _in_metric(figure, unit_s))
    if figure.metric in HIGHER_IS_BETTER:
        return f"({over}) / ({count}) = {limit}"
    return f"{count} / ({over}) = {limit}"


def _reached(work: Work, unit_s: float, card: Card) -> str:
    if work.flop:
        rate, peak = work.flop_count / unit_s, card.peak(work.precision, card.boost_mhz)
        return (
            f"{shown.rate(rate, 'FLOP/s')}, {shown.percent(rate / peak)} of the "
            f"{shown.rate(peak, 'FLOP/s')} at {card.boost_mhz} MHz"
        )
    rate = work.byte_count / unit_s
    return f"{shown.rate(rate, 'B/s')}, {shown.percent(rate / card.bandwidth)} of the memory's"
