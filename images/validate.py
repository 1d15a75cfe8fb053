"""Whether the table, its locks and everything rendered from it belong together."""

from __future__ import annotations

from pathlib import Path

from core.errors import BuildError
from images.config import Table, load_table
from images.lock import stale_locks
from images.paths import ROOT, TABLE
from images.render import rendered_files, stale_rendered


def validate(path: Path = TABLE) -> Table:
    """Judge a table; the committed one together with what is derived from it. No network.

    Raises:
        InputError: the table is wrong; every place is named.
        BuildError: a lock or a rendered file does not follow the table.
    """
    table = load_table(path)
    if path.resolve() == TABLE:
        refuse_stale_files(table)
    return table


def refuse_stale_files(table: Table) -> None:
    """Stop when a lock or a rendered file was left behind by the table.

    Raises:
        BuildError: names every one of them and the command that writes it.
    """
    locks = stale_locks(table)
    if locks:
        raise BuildError(
            "The locks do not fit the table.",
            why="; ".join(f"{_short(lock.path)} {lock.reason}" for lock in locks) + ".",
            remedy="Write them again with `invoke lock`; remove those that belong to no row.",
        )
    files = stale_rendered(rendered_files(table))
    if files:
        raise BuildError(
            "What is committed is not what the table and the template give.",
            why=f"Stale: {', '.join(_short(path) for path in files)}.",
            remedy="Write them again with `invoke render`.",
        )


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
