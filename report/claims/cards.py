"""What a card can do at most: ``cards.toml``, and the peaks that follow from it."""

from __future__ import annotations

import datetime as dt
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from report.claims import toml
from report.claims.schema import Name, Number, Precision, Text

CARDS_SCHEMA = 1
CARDS = Path(__file__).resolve().parent / "cards.toml"

Count = Annotated[int, Field(strict=True, ge=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Rates(_Part):
    """Floating-point operations of one multiprocessor in one clock; ``fp16`` is BF16's too."""

    fp32: Count
    tf32: Count
    fp16: Count


class Source(_Part):
    """Where values come from; ``unverified`` where nobody read them off that card."""

    of: list[Name]
    source: Text
    date: dt.date
    unverified: bool = False


class Card(_Part):
    """Limits of one card. ``names`` is what the driver calls it."""

    title: Name
    names: Annotated[list[Name], Field(min_length=1)]
    multiprocessors: Count
    flop_per_clock: Rates
    boost_mhz: Count
    highest_mhz: Count
    bandwidth_gb_s: Number
    l2_mib: Number
    memory_gib: Number
    sources: Annotated[list[Source], Field(min_length=1)]

    @property
    def bandwidth(self) -> float:
        """Bytes per second between the chip and its memory."""
        return self.bandwidth_gb_s * 1e9

    @property
    def cached_bytes(self) -> float:
        """Twice the L2: up to here a working set may be served without the memory."""
        return 2 * self.l2_mib * 2**20

    def peak(self, precision: Precision | None, mhz: float | None = None) -> float:
        """FLOP/s at a clock.

        Args:
            precision: None takes the fastest.
            mhz: the clock; None takes the highest one that the driver offers.
        """
        rates = self.flop_per_clock
        rate = getattr(rates, precision) if precision else max(rates.fp32, rates.tf32, rates.fp16)
        return float(self.multiprocessors * rate * (mhz or self.highest_mhz) * 1e6)


class Cards(_Part):
    """The whole of cards.toml."""

    schema_: Literal[1] = Field(alias="schema")
    cards: dict[str, Card]


@lru_cache(maxsize=4)
def load_cards(path: Path = CARDS) -> dict[str, Card]:
    """Every card by its key.

    Raises:
        InputError: names every place of the file that is wrong.
    """
    return toml.read(path, Cards, schema=CARDS_SCHEMA).cards


def card_named(name: str) -> Card | None:
    """The card that the driver calls by exactly that name; None where it is not known."""
    wanted = name.strip().lower()
    known = load_cards().values()
    return next((c for c in known if wanted in [n.lower() for n in c.names]), None)
