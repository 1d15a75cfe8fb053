"""What the page shows, in plain typed pieces; the templates only lay them out and escape them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping

from report.schema import Comparison, Result, Row


@dataclass(frozen=True)
class Pair:
    """A row seen as one environment against the baseline; alone, ``other`` is empty."""

    index: int
    row: Row
    baseline: str
    other: str

    @property
    def name(self) -> str:
        """Workload and variant."""
        return f"{self.row.workload}/{self.row.variant}"

    @property
    def comparison(self) -> Comparison | None:
        """The comparison with the baseline, where both were asked to run."""
        return self.row.comparisons.get(self.other)

    @property
    def sides(self) -> Mapping[str, Result]:
        """The results of the environments in view that were asked to run."""
        names = (self.baseline, self.other)
        return {name: self.row.results[name] for name in names if name in self.row.results}


@dataclass(frozen=True)
class View:
    """All rows of a device that set ``other`` beside the baseline."""

    index: int
    device: str
    baseline: str
    other: str
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Said:
    """Text of the page itself (``text``) with text from elsewhere beside it (``data``)."""

    text: str
    data: str = ""
    level: str = "info"


@dataclass(frozen=True)
class Item:
    """A row named in the answer: its name, its ratio and interval or the reason it has none."""

    name: str
    anchor: str
    value: str
    is_number: bool


@dataclass(frozen=True)
class Group:
    """Rows of one kind of verdict in the answer; ``more`` is how many are not named."""

    kind: str
    title: str
    count: int
    items: tuple[Item, ...]
    more: int


@dataclass(frozen=True)
class Answer:
    """One comparison in plain words."""

    title: str
    conditions: str
    mean: str
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Cell:
    """One environment's side of a row. ``value`` sorts: seconds, None where not measured."""

    environment: str
    time: str
    detail: str
    status: str
    value: float | None


@dataclass(frozen=True)
class Reason:
    """Why a result or a verdict is what it is; everything but ``text`` comes from elsewhere."""

    text: str
    where: str = ""
    data: str = ""
    remedy: str = ""
    log: str = ""


@dataclass(frozen=True)
class Line:
    """A row of the results table. ``kind`` and ``statuses`` are what filters look at."""

    name: str
    anchor: str
    cells: tuple[Cell, ...]
    ratio: str
    interval: str
    ratio_value: float | None
    kind: str
    verdict: str
    statuses: tuple[str, ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Results:
    """The table of one view; ``also`` says what else differs beside its ratios."""

    view: View
    title: str
    conditions: str
    lines: tuple[Line, ...]
    also: tuple[Said, ...]


@dataclass(frozen=True)
class Grid:
    """A table of texts: the first cell of a line names it. ``marked`` lines differ."""

    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    marked: tuple[bool, ...] = field(default=())
