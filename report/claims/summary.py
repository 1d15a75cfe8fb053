"""What the claims come to, in a few sentences."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Sequence

from report.claims.against import ClaimVerdict
from report.claims.arithmetic import Arithmetic
from report.claims.floor import Limit
from report.claims.judge import Judged, Judgement


def summary(judgement: Judgement) -> list[str]:
    """One sentence per thing worth knowing first."""
    claims = judgement.claims
    lines = []
    if judgement.evidence:
        lines += _verdicts(judgement.evidence.run, claims)
    lines.append(_followed(claims))
    lines += [_unsupported(claim) for claim in claims if _doubted(claim)]
    lines += [
        f"{claim.figure.id} is inconsistent with {peer.claim}: {peer.reason}."
        for claim in claims
        for peer in claim.arithmetic.agreements
        if not peer.consistent
    ]
    lines.append(_limits(claims))
    false = [s for a in judgement.articles.values() for s in a.statements if not s.holds]
    lines += [f"Not true: “{statement.says}” {statement.reason}" for statement in false]
    return lines


def _verdicts(run: str, claims: Sequence[Judged]) -> list[str]:
    counts = Counter(claim.run.verdict for claim in claims if claim.run)
    told = ", ".join(f"{counts[v]} {v.value}" for v in ClaimVerdict if counts[v])
    return [f"Against run {run}: {told}, of {len(claims)} claims."]


def _followed(claims: Sequence[Judged]) -> str:
    ratios = [c for c in claims if c.arithmetic.bases]
    follows = [c for c in ratios if c.arithmetic.status is Arithmetic.FOLLOWS]
    return f"{len(follows)} of {len(ratios)} stated ratios follow from their article's own figures."


def _doubted(claim: Judged) -> bool:
    return claim.arithmetic.status in (Arithmetic.IN_PART, Arithmetic.DOES_NOT_FOLLOW)


def _unsupported(claim: Judged) -> str:
    told = "; ".join(f"{basis.label}: {basis.reason}" for basis in claim.arithmetic.bases)
    who = f"{claim.figure.id} (“{claim.figure.claim.says}”)"
    if claim.arithmetic.status is Arithmetic.DOES_NOT_FOLLOW:
        return f"{who} is not supported by its own tables: {told}."
    yes, no = _labels(claim, follows=True), _labels(claim, follows=False)
    return f"{who} is supported {yes}, not {no}: {told}."


def _labels(claim: Judged, *, follows: bool) -> str:
    return _listed(b.label for b in claim.arithmetic.bases if b.follows is follows)


def _limits(claims: Sequence[Judged]) -> str:
    beat = [c.figure.id for c in claims if c.floor.status is Limit.BEATS]
    held = [c for c in claims if c.floor.status is not Limit.NONE]
    far = sum(c.floor.status is Limit.FAR for c in claims)
    start = f"Of {len(held)} figures with a known limit,"
    end = f"{far} are three times or more from it."
    return f"{start} {_listed(beat)} beat it; {end}" if beat else f"{start} none beats it; {end}"


def _listed(items: Iterable[str]) -> str:
    return " and ".join(items)
