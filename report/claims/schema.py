"""The shape of an article's file, schema 1. docs/claims.md explains the fields."""

from __future__ import annotations

import datetime as dt
import math
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

ARTICLE_SCHEMA = 1
TOLERANCE = 0.10

Number = Annotated[float, Field(strict=True, gt=0)]
Name = Annotated[str, Field(strict=True, min_length=1, max_length=200)]
Text = Annotated[str, Field(strict=True, min_length=1, max_length=2000)]
Setting = bool | int | float | str
Precision = Literal["fp32", "tf32", "fp16"]


class Metric(str, Enum):
    """The unit of a claim's value. ``ratio``: so many times faster; ``percent``: that minus 100."""

    SECONDS = "seconds"
    MS = "ms"
    SAMPLES_PER_S = "samples/s"
    GB = "GB"
    RATIO = "ratio"
    PERCENT = "percent"

    @property
    def compares(self) -> bool:
        """Whether it sets two figures against each other."""
        return self in (Metric.RATIO, Metric.PERCENT)


class Kind(str, Enum):
    """How the value is meant."""

    ABOUT = "about"
    AT_LEAST = "at least"
    UP_TO = "up to"
    RANGE = "range"
    DIRECTION = "direction"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class About(_Part):
    """What the article is, and the machine it names. ``card`` and ``cpu`` bind its rows."""

    title: Text
    language: Name
    url: Text | None = None
    date: dt.date | None = None
    card: Name | None = None
    cpu: Name | None = None
    hardware: list[Text] = []
    software: list[Text] = []
    method: Text | None = None


class Environment(_Part):
    """A software state that the article measured. ``torch`` binds; the others are differences."""

    title: Text
    torch: Annotated[str, Field(strict=True, pattern=r"^\d+(\.\d+){0,2}$")] | None = None
    cuda: Name | None = None
    cudnn: Name | None = None


class Cell(_Part):
    """Where a figure was measured. ``workload`` and ``variant`` replace those of the row."""

    environment: Name
    device: Literal["cpu", "cuda"]
    workload: Name | None = None
    variant: Name | None = None


class Work(_Part):
    """What one call (or one sample, for samples/s) needs at least, as factors of a product.

    ``least`` is false where a cleverer algorithm could need fewer operations than counted.
    """

    flop: list[Number] = []
    bytes: list[Number] = []
    precision: Precision = "fp32"
    least: bool = True
    note: Text | None = None

    @property
    def flop_count(self) -> float:
        """Floating-point operations, 0 where not counted."""
        return math.prod(self.flop) if self.flop else 0.0

    @property
    def byte_count(self) -> float:
        """Bytes read and written, 0 where not counted."""
        return math.prod(self.bytes) if self.bytes else 0.0


class Unsaid(_Part):
    """What the article leaves open; ``setting`` is where a run says what was chosen."""

    what: Text
    setting: Name | None = None


class Row(_Part):
    """What the claims of one row of an article's table share.

    ``calls`` is how many calls a time covers, ``samples`` how many samples. ``whole_loop`` says
    that the time includes what comes before the steady state, such as compilation.
    """

    section: Text
    workload: Name | None = None
    variant: Name | None = None
    metric: Metric
    calls: Annotated[int, Field(strict=True, ge=1)] = 1
    samples: Annotated[int, Field(strict=True, ge=1)] | None = None
    whole_loop: bool = False
    settings: dict[str, Setting] = {}
    work: Work | None = None
    unsaid: list[Unsaid] = []


class Pair(_Part):
    """Two figures by id: ``of`` is so many times better than ``against``."""

    of: Name
    against: Name


class Basis(_Part):
    """Figures that a ratio could rest on, under one reading of it."""

    label: Text
    pairs: Annotated[list[Pair], Field(min_length=1)]


class Peer(_Part):
    """A figure elsewhere, in any article, that should tell the same; ``why`` says why."""

    claim: Name
    why: Text


class Claim(_Part):
    """One published number. ``value`` has two entries for a range and none for a direction."""

    id: Annotated[str, Field(strict=True, pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$")]
    row: Name
    says: Text
    kind: Kind = Kind.ABOUT
    metric: Metric | None = None
    value: Annotated[list[Number], Field(max_length=2)] = []
    tolerance: Annotated[float, Field(strict=True, ge=0, le=1)] = TOLERANCE
    cell: Cell | None = None
    against: Cell | None = None
    bases: list[Basis] = []
    settings: dict[str, Setting] = {}
    work: Work | None = None
    unsaid: list[Unsaid] = []
    consistent_with: list[Peer] = []

    @field_validator("value", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        return value if isinstance(value, list) else [value]

    @model_validator(mode="after")
    def _value_fits_kind(self) -> Claim:
        wanted = {Kind.RANGE: 2, Kind.DIRECTION: 0}.get(self.kind, 1)
        if len(self.value) != wanted:
            count = ("no number", "one number", "two numbers")[wanted]
            raise ValueError(f"kind {self.kind.value!r} takes {count} as value")
        if wanted == 2 and self.value[0] >= self.value[1]:
            raise ValueError("value: a range goes from its lower to its higher number")
        return self


class Statement(_Part):
    """Something said that is true or false without measuring, and how that is known."""

    id: Name
    says: Text
    holds: bool
    reason: Text
    source: Text
    date: dt.date


class Article(_Part):
    """A whole file."""

    schema_: Literal[1] = Field(alias="schema")
    article: About
    environments: dict[str, Environment]
    rows: dict[str, Row]
    claims: Annotated[list[Claim], Field(min_length=1)]
    statements: list[Statement] = []
