"""Look up a name that a user typed."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Mapping, TypeVar

from core.errors import InputError

T = TypeVar("T")


def pick(what: str, name: str, known: Mapping[str, T]) -> T:
    """The entry of that name.

    Raises:
        InputError: unknown; the nearest known name, or all of them, are given.
    """
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    raise InputError(
        f"There is no {what} named {name!r}.",
        why=f"Known: {', '.join(known)}.",
        remedy=f"Perhaps you meant {near[0]!r}." if near else "Name one of these.",
    )
