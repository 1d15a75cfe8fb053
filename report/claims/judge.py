"""Every claim of the articles, judged: plain data for JSON and for the pages."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Any, Mapping, Sequence

from report.claims import against, arithmetic, floor
from report.claims.against import RunResult
from report.claims.arithmetic import ArithmeticResult
from report.claims.cards import load_cards
from report.claims.evidence import Evidence
from report.claims.floor import FloorResult
from report.claims.load import Figure, library
from report.claims.schema import Article

CLAIMS_SCHEMA = 1


@dataclass(frozen=True)
class Judged:
    """One claim with its three judgements; ``run`` is None where no run was given."""

    figure: Figure
    arithmetic: ArithmeticResult
    floor: FloorResult
    run: RunResult | None


@dataclass(frozen=True)
class Judgement:
    """Articles by name, and every claim of the chosen ones in their order."""

    articles: Mapping[str, Article]
    claims: tuple[Judged, ...]
    evidence: Evidence | None

    def of(self, article: str) -> list[Judged]:
        """The claims of one article."""
        return [claim for claim in self.claims if claim.figure.article == article]


def judge(
    articles: Mapping[str, Article],
    *,
    chosen: Sequence[str] = (),
    evidence: Evidence | None = None,
) -> Judgement:
    """Judge the claims of the chosen articles, or of all.

    Args:
        articles: all of them, because claims refer to each other across articles.
        chosen: names of articles; none takes all.
        evidence: a run to hold the claims against.
    """
    known = library(articles)
    names = list(chosen) or list(articles)
    claims = tuple(
        _judged(figure, known, evidence) for figure in known.values() if figure.article in names
    )
    return Judgement({name: articles[name] for name in names}, claims, evidence)


def dump(judgement: Judgement) -> dict[str, Any]:
    """Plain data for strict JSON; docs/claims.md explains the fields."""
    evidence = judgement.evidence
    verdicts = Counter(claim.run.verdict.value for claim in judgement.claims if claim.run)
    return {
        "schema": CLAIMS_SCHEMA,
        "run": {"id": evidence.run, "preset": evidence.preset} if evidence else None,
        "verdicts": dict(verdicts),
        "articles": [
            {
                "name": name,
                **article.article.model_dump(mode="json"),
                "statements": [s.model_dump(mode="json") for s in article.statements],
                "claims": [_claim(claim) for claim in judgement.of(name)],
            }
            for name, article in judgement.articles.items()
        ],
    }


def _judged(figure: Figure, known: Mapping[str, Figure], evidence: Evidence | None) -> Judged:
    card = load_cards().get(figure.source.article.card or "")
    return Judged(
        figure,
        arithmetic.judge(figure, known),
        floor.judge(figure, card),
        against.judge(figure, known, evidence) if evidence else None,
    )


def _claim(judged: Judged) -> dict[str, Any]:
    figure, claim = judged.figure, judged.figure.claim
    return {
        "id": figure.id,
        "section": figure.row.section,
        "workload": figure.row.workload,
        "variant": figure.row.variant,
        "says": claim.says,
        "metric": figure.metric.value,
        "kind": claim.kind.value,
        "value": list(claim.value),
        "tolerance": claim.tolerance,
        "cell": claim.cell.model_dump(mode="json") if claim.cell else None,
        "settings": figure.settings,
        "unsaid": [item.what for item in figure.unsaid],
        "arithmetic": plain(judged.arithmetic),
        "floor": plain(judged.floor),
        "run": plain(judged.run) if judged.run else None,
    }


def plain(value: Any) -> Any:
    """Dataclasses, words of an enumeration and tuples as what JSON knows."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value
