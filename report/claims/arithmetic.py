"""Whether a claim follows from its article's own figures, and figures agree with each other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Sequence

from report import format as shown
from report.claims.load import Figure, Library
from report.claims.quantities import amount, division, improvement, plain, samples_per_s
from report.claims.schema import Basis, Kind, Metric


class Arithmetic(str, Enum):
    """What a claim is worth beside the article's own figures."""

    FOLLOWS = "follows"
    IN_PART = "follows in part"
    DOES_NOT_FOLLOW = "does not follow"
    FIGURE = "a figure"  # what others follow from
    NOTHING = "nothing to check"  # a comparison for which the article gives no figures


@dataclass(frozen=True)
class Step:
    """One ratio worked out: ``formula`` is the division, ``ratio`` what comes out."""

    of: str
    against: str
    formula: str
    ratio: float


@dataclass(frozen=True)
class BasisResult:
    """One reading of a ratio: whether the claim follows, and why in words."""

    label: str
    follows: bool
    steps: tuple[Step, ...]
    reason: str


@dataclass(frozen=True)
class Agreement:
    """Two figures that should tell the same: both in ``unit``, and how many times apart."""

    claim: str
    consistent: bool
    unit: str
    ours: float
    theirs: float
    factor: float
    reason: str


@dataclass(frozen=True)
class ArithmeticResult:
    """The judgement on one claim's arithmetic."""

    status: Arithmetic
    bases: tuple[BasisResult, ...]
    agreements: tuple[Agreement, ...]

    @property
    def inconsistent(self) -> bool:
        """Whether it contradicts a figure elsewhere."""
        return any(not found.consistent for found in self.agreements)


def judge(figure: Figure, known: Library) -> ArithmeticResult:
    """Work out every ratio that the claim could rest on, and compare what should agree."""
    bases = tuple(_basis(figure, basis, known) for basis in figure.claim.bases)
    agreements = tuple(
        _agreement(figure, known[peer.claim], peer.why) for peer in figure.claim.consistent_with
    )
    return ArithmeticResult(_status(figure, bases), bases, agreements)


def edges(values: tuple[float, float], tolerance: float) -> tuple[float, float]:
    """The lowest and the highest number that still mean the claim's value."""
    return values[0] / (1 + tolerance), values[1] * (1 + tolerance)


def fits(figure: Figure, ratios: Sequence[float]) -> bool:
    """Whether these ratios support the claim, as its kind means it.

    *Up to* asks the largest to be the value; everything else asks every ratio.
    """
    if figure.values is None:
        return all(ratio > 1 for ratio in ratios)
    low, high = edges(figure.values, figure.claim.tolerance)
    if figure.claim.kind is Kind.AT_LEAST:
        return min(ratios) >= low
    counted = [max(ratios)] if figure.claim.kind is Kind.UP_TO else ratios
    return all(low <= ratio <= high for ratio in counted)


def _status(figure: Figure, bases: Sequence[BasisResult]) -> Arithmetic:
    if not figure.metric.compares:
        return Arithmetic.FIGURE
    if not bases:
        return Arithmetic.NOTHING
    follows = [basis.follows for basis in bases]
    if all(follows):
        return Arithmetic.FOLLOWS
    return Arithmetic.IN_PART if any(follows) else Arithmetic.DOES_NOT_FOLLOW


def _basis(figure: Figure, basis: Basis, known: Library) -> BasisResult:
    steps = tuple(_step(known[pair.of], known[pair.against]) for pair in basis.pairs)
    follows = fits(figure, [step.ratio for step in steps])
    return BasisResult(basis.label, follows, steps, _reason(figure, steps, follows=follows))


def _step(of: Figure, against: Figure) -> Step:
    ratio = improvement(of.metric, of.value, against.value)
    return Step(of.id, against.id, division((of, against)), ratio)


def _reason(figure: Figure, steps: Sequence[Step], *, follows: bool) -> str:
    words = "follows" if follows else "does not follow"
    if len(steps) == 1:
        return f"{steps[0].formula} = {shown.ratio(steps[0].ratio)}: {words}"
    most = max(steps, key=lambda step: step.ratio)
    if figure.claim.kind is Kind.UP_TO:
        return f"at most {most.formula} = {shown.ratio(most.ratio)} ({most.of}): {words}"
    worked = ", ".join(f"{step.formula} = {shown.ratio(step.ratio)}" for step in steps)
    return f"{worked}: {words}"


def _agreement(ours: Figure, theirs: Figure, why: str) -> Agreement:
    unit, left, right = _common(ours, theirs)
    factor = max(left, right) / min(left, right)
    tolerance = max(ours.claim.tolerance, theirs.claim.tolerance)
    consistent = factor <= 1 + tolerance
    words = "agree" if consistent else f"are {shown.significant(factor, 2)} times apart"
    reason = (
        f"{_worked(ours, unit, left)} and {theirs.id}'s {amount(unit, right)} {words}, though {why}"
    )
    return Agreement(theirs.id, consistent, unit.value, left, right, factor, reason)


def _common(ours: Figure, theirs: Figure) -> tuple[Metric, float, float]:
    left, right = samples_per_s(ours), samples_per_s(theirs)
    if left and right:
        return Metric.SAMPLES_PER_S, left, right
    return ours.metric, ours.value, theirs.value


def _worked(figure: Figure, unit: Metric, value: float) -> str:
    if unit is figure.metric:
        return f"{figure.id}'s {amount(unit, value)}"
    return f"{figure.id}'s {figure.row.samples} / {plain(figure.value)} = {amount(unit, value)}"
