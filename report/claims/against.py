"""A claim against a run: reproduced, not reproduced, direction only, inconclusive, not tested."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Sequence

from report.claims.answers import Answer, Here, answers, left_open
from report.claims.arithmetic import edges
from report.claims.conditions import Difference, Unmet
from report.claims.evidence import Evidence
from report.claims.load import Figure, Library
from report.claims.schema import Kind


class ClaimVerdict(str, Enum):
    """What a run says of a claim."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    DIRECTION_ONLY = "direction only"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTED = "not tested"


WORST_FIRST = (
    ClaimVerdict.NOT_REPRODUCED,
    ClaimVerdict.DIRECTION_ONLY,
    ClaimVerdict.INCONCLUSIVE,
    ClaimVerdict.REPRODUCED,
)


@dataclass(frozen=True)
class RunResult:
    """The verdict on one claim, with what is not met and what else differs."""

    verdict: ClaimVerdict
    reason: str
    unmet: tuple[Unmet, ...]
    here: Here | None
    differences: tuple[Difference, ...]


def judge(figure: Figure, known: Library, run: Evidence) -> RunResult:
    """Hold one claim against a run, by the rules of docs/design.md."""
    found = answers(figure, known, run)
    if not found:
        said = ", ".join(item.what for item in figure.unsaid) or "what was measured"
        reason = f"the article leaves open: {said}"
        return RunResult(ClaimVerdict.NOT_TESTED, reason, (), None, left_open(figure))
    told = tuple(dict.fromkeys(d for one in found for d in one.differences))
    untested = [answer for answer in found if answer.unmet or answer.here is None]
    if untested:
        unmet = tuple(dict.fromkeys(u for one in untested for u in one.unmet))
        here = _largest(untested).here
        return RunResult(ClaimVerdict.NOT_TESTED, _not_met(unmet), unmet, here, told)
    counted = [_largest(found)] if figure.claim.kind is Kind.UP_TO else found
    judged = [(*_verdict(figure, answer), answer.here) for answer in counted]
    verdict, reason, here = min(judged, key=lambda one: WORST_FIRST.index(one[0]))
    return RunResult(verdict, reason, (), here, told)


def place(
    values: tuple[float, float],
    interval: tuple[float, float],
    *,
    tolerance: float,
    at_least: bool = False,
    faster_from: float | None = None,
) -> tuple[ClaimVerdict, str]:
    """Lay an interval beside a claimed value.

    Args:
        values: lowest and highest claimed value, the same where there is one.
        interval: low and high end of what was measured, in the same unit.
        tolerance: relative, 0.1 for 10 %.
        at_least: whether more than the value is well.
        faster_from: for ratios, from where on a low end means *faster*; None for figures.
    """
    (low, high), (least, most) = interval, edges(values, tolerance)
    top = float("inf") if at_least else most
    band = f"{least:.3g} and above" if at_least else f"{least:.3g} to {most:.3g}"
    if least <= low and high <= top:
        return ClaimVerdict.REPRODUCED, f"the interval lies inside {band}"
    if least <= high and low <= top:
        return ClaimVerdict.INCONCLUSIVE, f"the interval crosses the edge of {band}"
    if faster_from is not None and low > faster_from:
        return ClaimVerdict.DIRECTION_ONLY, f"faster, but outside {band}"
    return ClaimVerdict.NOT_REPRODUCED, f"the interval lies outside {band}"


def direction(interval: tuple[float, float], *, faster_from: float) -> tuple[ClaimVerdict, str]:
    """Whether a ratio's interval shows *faster* at all."""
    if interval[0] > faster_from:
        return ClaimVerdict.REPRODUCED, "the interval lies on the claimed side"
    if interval[1] < faster_from:
        return ClaimVerdict.NOT_REPRODUCED, "the interval does not reach the claimed side"
    return ClaimVerdict.INCONCLUSIVE, "the interval does not tell the direction"


def _verdict(figure: Figure, answer: Answer) -> tuple[ClaimVerdict, str]:
    here = answer.here
    if here and here.doubts:
        return ClaimVerdict.INCONCLUSIVE, "; ".join(here.doubts)
    if here is None or here.low is None or here.high is None:
        return ClaimVerdict.INCONCLUSIVE, "one round shows no spread between trials"
    interval = (here.low, here.high)
    faster_from = 1 + answer.margin
    if figure.values is None:
        return direction(interval, faster_from=faster_from)
    return place(
        figure.values,
        interval,
        tolerance=figure.claim.tolerance,
        at_least=figure.claim.kind is Kind.AT_LEAST,
        faster_from=faster_from if figure.metric.compares else None,
    )


def _largest(found: Sequence[Answer]) -> Answer:
    """The one with the largest value: what *up to* means, and the most telling beside it."""
    return max(found, key=lambda answer: answer.here.value if answer.here else 0.0)


def _not_met(unmet: Sequence[Unmet]) -> str:
    if not unmet:
        return "nothing was measured for it, or not on both sides of one round"
    return "; ".join(f"{u.condition}: {u.claimed} claimed, here {u.here}" for u in unmet)
