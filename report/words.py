"""What a person reads, in their language: one catalogue per language, numbers as it writes them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Iterable, Mapping

from core import jsonio
from core.errors import InputError
from report import format as shown

CATALOGUES = Path(__file__).parent / "catalogues"
LANGUAGES = ("en", "zh")


class Words:
    """A catalogue and the way its language writes counts, lists and numbers with units."""

    def __init__(self, language: str, catalogue: Mapping[str, str]) -> None:
        self.language = language
        self._catalogue = catalogue

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key, with these values in their places; an unknown key is a KeyError."""
        return self._catalogue[key].format(**values)

    def named(self, group: str, name: str) -> str:
        """The word for a name of a group; a name that no catalogue holds stays as it is."""
        return self._catalogue.get(f"{group}.{name}", name)

    def count(self, noun: str, number: int) -> str:
        """``1 round``, ``6 rounds``."""
        return self(f"count.{noun}.{'one' if number == 1 else 'many'}", n=number)

    def listed(self, items: Iterable[str]) -> str:
        """Items with the language's comma between them."""
        return self("list.comma").join(items)

    def clauses(self, items: Iterable[str]) -> str:
        """Clauses with the language's semicolon between them."""
        return self("list.semicolon").join(items)

    def seconds(self, value: float, *, width: float | None = None) -> str:
        """A time; ``value`` and the ``width`` of its spread in seconds."""
        return self._with_unit(shown.seconds(value, width=width))

    def memory(self, value: float) -> str:
        """Bytes, in binary units."""
        return self._with_unit(shown.memory(value))

    def rate(self, value: float, unit: str) -> str:
        """A rate with a decimal prefix."""
        return self._with_unit(shown.rate(value, unit))

    def percent(self, relative: float) -> str:
        """A share of 1 as per cent."""
        return self("number.percent", n=shown.percent(relative).removesuffix(" %"))

    def ratio(self, value: float) -> str:
        """How many times faster."""
        return self("number.ratio", n=shown.ratio(value).removesuffix("×"))

    def interval(self, low: float, high: float) -> str:
        """Both ends of a ratio's interval."""
        return shown.interval(low, high)

    def _with_unit(self, text: str) -> str:
        number, _, unit = text.partition(" ")
        return self("number.unit", n=number, unit=unit)


@lru_cache(maxsize=len(LANGUAGES))
def words(language: str = "en") -> Words:
    """The catalogue of a language.

    Raises:
        InputError: there is no such catalogue.
    """
    if language not in LANGUAGES:
        raise InputError(
            f"There is no report in the language {language!r}.",
            remedy=f"Choose one of: {', '.join(LANGUAGES)}.",
        )
    return Words(language, jsonio.read(CATALOGUES / f"{language}.json"))
