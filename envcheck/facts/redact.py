"""Leave out of the facts what names a person, a card or a machine."""

from __future__ import annotations

import re
from typing import Any, Callable

_CARD = re.compile(r"\b(GPU|MIG)-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ADDRESS = re.compile(r"\b((?:tcp|ssh|https?)://)[^\s/\"']+")


def without_home(data: Any, home: str) -> Any:
    """A copy of ``data`` without home folders, cards' UUIDs and the hosts of addresses."""
    return _each(data, lambda text: without_names(text, home))


def encodable(data: Any) -> Any:
    """A copy whose texts can be written: bytes that were no UTF-8 become question marks."""
    return _each(data, lambda text: text.encode("utf-8", "replace").decode("utf-8"))


def without_names(text: str, home: str) -> str:
    """One text: paths below ``home`` begin with ``~``, hosts and UUIDs are left out."""
    if home not in ("", "/"):
        text = text.replace(home.rstrip("/") + "/", "~/")
    return _ADDRESS.sub(r"\1(left out)", _CARD.sub(r"\1-(left out)", text))


def _each(data: Any, change: Callable[[str], str]) -> Any:
    if isinstance(data, str):
        return change(data)
    if isinstance(data, list):
        return [_each(item, change) for item in data]
    if isinstance(data, dict):
        return {key: _each(value, change) for key, value in data.items()}
    return data
