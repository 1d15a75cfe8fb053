"""What a kind of host should look like: one TOML file per kind, a source beside every value."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Optional

from core.errors import InputError

FOLDER = Path(__file__).parent
UNVERIFIED = "unverified"


@dataclass(frozen=True)
class Expected:
    """One expected value: where it is from, when that was read, and whether anybody measured it.

    Of a speed at least ``fraction`` is demanded.
    """

    value: Any
    source: str
    date: str
    unverified: bool = False
    fraction: float = 1.0


@dataclass(frozen=True)
class Profile:
    """A kind of host.

    ``pci_ids`` are the cards of this kind, with where they are from. ``card`` maps a GPU fact's
    name to its expected value, ``active`` the name of a speed.
    """

    name: str = "generic"
    title: str = "any machine, judged by what it says of itself"
    gpu: bool = False
    pci_ids: tuple[str, ...] = ()
    pci_source: str = ""
    pci_date: str = ""
    card: Mapping[str, Expected] = field(default_factory=dict)
    active: Mapping[str, Expected] = field(default_factory=dict)


def names() -> list[str]:
    """Every profile there is."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> Profile:
    """Read one profile.

    Raises:
        InputError: no such profile; the nearest name is suggested.
    """
    if name not in names():
        near = difflib.get_close_matches(name, names(), 1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise InputError(
            f"There is no profile called {name}.", remedy=f"{hint}Known: {', '.join(names())}."
        )
    return _profile(name, _toml((FOLDER / f"{name}.toml").read_text(encoding="utf-8")))


def fitting(pci_ids: list[str]) -> Profile:
    """The profile of the first card found, ``cpu`` without a card, else ``generic``."""
    if not pci_ids:
        return load("cpu")
    return next((p for p in map(load, names()) if pci_ids[0] in p.pci_ids), load("generic"))


def _profile(name: str, data: Mapping[str, Any]) -> Profile:
    card, active = (_expected(data.get(table, {})) for table in ("card", "active"))
    pci = data.get("pci", {})
    return Profile(
        name,
        data["title"],
        data["gpu"],
        pci_ids=tuple(pci.get("ids", ())),
        pci_source=pci.get("source", ""),
        pci_date=pci.get("date", ""),
        card=card,
        active=active,
    )


def _expected(table: Mapping[str, Any]) -> dict[str, Expected]:
    return {
        key: Expected(
            item["value"],
            item["source"],
            item["date"],
            bool(item.get(UNVERIFIED, False)),
            float(item.get("fraction", 1.0)),
        )
        for key, item in table.items()
    }


def _toml(text: str) -> Mapping[str, Any]:
    parser = _parser()
    if parser is None:
        raise InputError(
            "Profiles cannot be read by this Python.",
            why="It is older than 3.11 and the package tomli is not installed.",
            remedy="Install tomli, or use Python 3.11 or newer.",
        )
    parsed: Mapping[str, Any] = parser.loads(text)
    return parsed


def _parser() -> Optional[Any]:
    for name in ("tomllib", "tomli"):
        if importlib.util.find_spec(name) is not None:
            return importlib.import_module(name)
    return None
