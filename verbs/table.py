"""Verbs on the table: validate, render, lock, list."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable

from core import jsonio
from core.errors import CheckFailed, InputError
from images.config import load_table
from images.lock import stale_locks
from images.render import render as render_dockerfile
from verbs.front import say

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = ROOT / "Dockerfile"
BUILDERS = ("buildkit", "classic")


def validate() -> int:
    """Judge the table and its locks; say what is right in one line."""
    table = load_table()
    stale = stale_locks(table)
    if stale:
        raise CheckFailed(
            f"{len(stale)} locks do not fit the table.",
            why="; ".join(
                f"{lock.path.parent.name}/{lock.path.name} {lock.reason}" for lock in stale
            )
            + ".",
            remedy="Write them again with `invoke lock`.",
        )
    print(f"{len(table.environments)} environments are valid and locked: {', '.join(table.names)}")
    return 0


def render(*, name: str | None, builder: str, output: str | None, check: bool) -> int:
    """Write a Dockerfile; without a name the default environment's to the top-level one.

    Raises:
        InputError: there is no such environment or builder.
        CheckFailed: with ``check``, the committed Dockerfile is not what the template gives.
    """
    if builder not in BUILDERS:
        raise InputError(
            f"There is no builder {builder!r}.", remedy=f"Choose one of {', '.join(BUILDERS)}."
        )
    table = load_table()
    row = table.get(name) if name else table.default
    text = render_dockerfile(row, "classic" if builder == "classic" else "buildkit")
    if check:
        return _check(text, Path(output) if output else DOCKERFILE)
    if output == "-" or (name and not output):
        print(text, end="")
        return 0
    target = Path(output) if output else DOCKERFILE
    jsonio.write_text(target, text)
    say(f"Wrote {target.name} for {row.name}.")
    return 0


def _check(text: str, target: Path) -> int:
    if target.is_file() and target.read_text(encoding="utf-8") == text:
        say(f"{target.name} is fresh.")
        return 0
    raise CheckFailed(
        f"{target.name} is stale.",
        why="The template, the table or a lock changed since it was written.",
        remedy="Write it again with `invoke render` and commit it.",
    )


def list_all(*, as_json: bool) -> int:
    """Print environments, workloads and presets with their estimated minutes."""
    from runs.catalog import offers
    from verbs.listing import catalogue, show
    from workloads.registry import load

    suite = load()
    data = catalogue(load_table(), suite, offers(suite))
    if as_json:
        print(jsonio.dumps(data), end="")
    else:
        show(data)
    return 0


def lock(names: Iterable[str], *, check: bool, upgrade: bool) -> int:
    """Resolve locks anew, or say which are stale."""
    from images.resolve import write_locks

    table = load_table()
    if check:
        return validate()
    written = write_locks(table, list(names) or None, upgrade=upgrade, say=say)
    say(f"Wrote {len(written)} files below images/locks.")
    return 0
