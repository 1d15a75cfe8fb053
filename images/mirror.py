"""The distribution mirror that this host itself uses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from core.errors import BuildError

SOURCES = Path("/etc/apt")
UBUNTU = ("focal", "jammy", "noble")
_ADDRESS = re.compile(r"https?://[^\s\]#]+")


def family(suite: str) -> str:
    """The distribution of a suite: ``ubuntu`` or ``debian``."""
    return "ubuntu" if suite in UBUNTU else "debian"


def choose_mirror(suite: str, sources: Path = SOURCES) -> str:
    """The mirror for a suite, out of the host's own apt sources.

    Raises:
        BuildError: they name none for this distribution.
    """
    found = mirror_in(_texts(sources), suite)
    if found is None:
        raise BuildError(
            f"No {family(suite)} mirror is known.",
            why=f"The apt sources of this host (below {sources}) name none for {suite}.",
            remedy="Name one with --mirror URL.",
        )
    return found


def mirror_in(texts: Iterable[str], suite: str) -> str | None:
    """The first address in apt sources (either notation) that ends in the distribution's name."""
    for text in texts:
        for line in text.splitlines():
            address = _ADDRESS.search(line.partition("#")[0])
            if address and address.group().rstrip("/").endswith(f"/{family(suite)}"):
                return address.group()
    return None


def _texts(sources: Path) -> list[str]:
    files = [sources / "sources.list", *sorted((sources / "sources.list.d").glob("*"))]
    return [
        file.read_text(encoding="utf-8", errors="replace")
        for file in files
        if file.suffix in (".list", ".sources") and file.is_file()
    ]
