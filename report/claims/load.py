"""Read the articles, and judge what one file alone cannot: names that point elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator, Mapping

from core.errors import InputError
from report.claims import toml
from report.claims.cards import load_cards
from report.claims.schema import (
    ARTICLE_SCHEMA,
    Article,
    Cell,
    Claim,
    Environment,
    Kind,
    Metric,
    Row,
    Setting,
    Unsaid,
    Work,
)

ARTICLES = Path(__file__).resolve().parent / "articles"


@dataclass(frozen=True)
class Figure:
    """A claim with everything that its row, its article and its environment say of it."""

    article: str
    claim: Claim
    row: Row
    source: Article

    @property
    def id(self) -> str:
        """The claim's id, one of its kind over all articles."""
        return self.claim.id

    @property
    def metric(self) -> Metric:
        """The claim's own metric, or its row's."""
        return self.claim.metric or self.row.metric

    @property
    def settings(self) -> dict[str, Setting]:
        """What a run's settings must be."""
        return {**self.row.settings, **self.claim.settings}

    @property
    def work(self) -> Work | None:
        """What one call, or one sample, needs at least."""
        return self.claim.work or self.row.work

    @property
    def unsaid(self) -> list[Unsaid]:
        """What the article leaves open."""
        return [*self.row.unsaid, *self.claim.unsaid]

    @property
    def values(self) -> tuple[float, float] | None:
        """Lowest and highest value, a percentage as the ratio it stands for."""
        if not self.claim.value:
            return None
        low, high = self.claim.value[0], self.claim.value[-1]
        if self.metric is Metric.PERCENT:
            return 1 + low / 100, 1 + high / 100
        return low, high

    @property
    def value(self) -> float:
        """The value of a figure.

        Raises:
            ValueError: the claim compares figures or has no single value.
        """
        if self.metric.compares or len(self.claim.value) != 1:
            raise ValueError(f"{self.id} is no single figure")
        return self.claim.value[0]

    def environment(self, cell: Cell) -> Environment:
        """The article's environment of a cell."""
        return self.source.environments[cell.environment]


Library = Mapping[str, Figure]


def load_articles(folder: Path = ARTICLES, *, extra: Iterable[Path] = ()) -> dict[str, Article]:
    """Every article by its file's stem, in the order of the names.

    Args:
        folder: all its ``*.toml`` are read.
        extra: further files.

    Raises:
        InputError: names every place of a file that is wrong.
    """
    paths = [*sorted(folder.glob("*.toml")), *extra]
    articles: dict[str, Article] = {}
    for path in paths:
        if path.stem in articles:
            raise InputError(
                f"There are two articles named {path.stem}.", remedy="Rename one of the files."
            )
        articles[path.stem] = toml.read(path, Article, schema=ARTICLE_SCHEMA)
    known = library(articles)
    for path in paths:
        faults = list(_faults(articles[path.stem], known))
        if faults:
            raise toml.refusal(path, faults)
    return articles


def library(articles: Mapping[str, Article]) -> dict[str, Figure]:
    """Every claim by its id.

    Raises:
        InputError: two claims have one id, or a claim names a row that is not there.
    """
    found: dict[str, Figure] = {}
    for name, article in articles.items():
        for index, claim in enumerate(article.claims):
            if claim.row not in article.rows:
                place = f"{_place(index, claim)}.row: there is no row {claim.row!r}."
                raise toml.refusal(
                    Path(f"{name}.toml"), [f"{place} {toml.nearest(claim.row, article.rows)}"]
                )
            if claim.id in found:
                raise InputError(
                    f"Two claims have the id {claim.id}, in {found[claim.id].article} and {name}.",
                    remedy="Give one of them another id.",
                )
            found[claim.id] = Figure(name, claim, article.rows[claim.row], article)
    return found


def _place(index: int, claim: Claim) -> str:
    return f"claims[{index}] ({claim.id})"


def _faults(article: Article, known: Library) -> Iterator[str]:
    card = article.article.card
    if card is not None and card not in load_cards():
        yield f"article.card: there is no card {card!r}. {toml.nearest(card, load_cards())}"
    for index, claim in enumerate(article.claims):
        figure = known[claim.id]
        for fault in (*_shape(figure), *_cells(figure), *_references(figure, known)):
            yield f"{_place(index, claim)}{fault}"


def _shape(figure: Figure) -> Iterator[str]:
    claim = figure.claim
    if not figure.metric.compares:
        if claim.cell is None:
            yield f".cell: is missing; a claim in {figure.metric.value} was measured somewhere"
        if claim.bases or claim.against:
            yield f".metric: {figure.metric.value} compares nothing; perhaps you meant ratio"
        if claim.kind is Kind.DIRECTION:
            yield ".kind: a direction needs two figures; perhaps you meant metric = 'ratio'"
    elif claim.bases and (claim.cell or claim.against):
        yield ".bases: gives the figures already; leave cell and against out"
    elif (claim.cell is None) != (claim.against is None):
        yield ": a comparison needs both cell and against"


def _cells(figure: Figure) -> Iterator[str]:
    for name, cell in (("cell", figure.claim.cell), ("against", figure.claim.against)):
        if cell is None:
            continue
        known = figure.source.environments
        if cell.environment not in known:
            near = toml.nearest(cell.environment, known)
            yield f".{name}.environment: there is no environment {cell.environment!r}. {near}"
        for part in ("workload", "variant"):
            if not (getattr(cell, part) or getattr(figure.row, part)):
                yield f".{name}: neither it nor the row names a {part}"


def _references(figure: Figure, known: Library) -> Iterator[str]:
    pairs = [pair for basis in figure.claim.bases for pair in basis.pairs]
    ids = [name for pair in pairs for name in (pair.of, pair.against)]
    ids += [peer.claim for peer in figure.claim.consistent_with]
    for name in dict.fromkeys(ids):
        if name not in known:
            yield f": there is no claim {name!r}. {toml.nearest(name, known)}"
        elif known[name].metric.compares:
            yield f": {name} is a comparison; a figure is needed here"
    for pair in pairs:
        sides = [known[name].metric for name in (pair.of, pair.against) if name in known]
        if len(set(sides)) > 1:
            yield f": {pair.of} and {pair.against} have different metrics"
