"""Verbs on the table: validate, render, lock, list."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

from core import jsonio
from core.errors import CheckFailed, InputError
from images.config import load_table
from images.render import render as render_dockerfile
from images.render import rendered_files, stale_rendered, write_rendered
from verbs.front import say

BUILDERS = ("buildkit", "classic")


def validate() -> int:
    """Judge the table, its locks and what is rendered from it; say what is right in one line."""
    from images.validate import validate as judged

    table = judged()
    print(f"{len(table.environments)} environments are valid and locked: {', '.join(table.names)}")
    return 0


def render(*, name: str | None, builder: str, output: str | None, check: bool) -> int:
    """Write what is derived from the table, or print one environment's Dockerfile.

    Without a name and an output the committed files are written: the default environment's
    Dockerfile and the descriptions beside the locks.

    Raises:
        InputError: there is no such environment or builder.
        CheckFailed: with ``check``, a file is not what the table and the template give.
    """
    if builder not in BUILDERS:
        raise InputError(
            f"There is no builder {builder!r}.", remedy=f"Choose one of {', '.join(BUILDERS)}."
        )
    table = load_table()
    if name is None and output is None and builder == "buildkit":
        return _committed(rendered_files(table), check=check)
    row = table.get(name) if name else table.default
    text = render_dockerfile(row, "classic" if builder == "classic" else "buildkit")
    if output in (None, "-"):
        print(text, end="")
        return 0
    return _committed({Path(output).resolve(): text}, check=check)


def _committed(files: dict[Path, str], *, check: bool) -> int:
    stale = stale_rendered(files)
    names = ", ".join(path.name for path in stale)
    if check and stale:
        raise CheckFailed(
            f"Stale: {names}.",
            why="The template, the table or a lock changed since they were written.",
            remedy="Write them again with `invoke render` and commit them.",
        )
    if not check:
        write_rendered(files)
    say(
        f"{len(files) - len(stale)} of {len(files)} files were fresh."
        + (f" Wrote {names}." if stale else "")
    )
    return 0


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


def lock(names: Sequence[str], *, check: bool, upgrade: bool) -> int:
    """Resolve locks anew, or say which are stale."""
    from images.resolve import write_locks

    table = load_table()
    for name in names:
        table.get(name)
    if check:
        return validate()
    written = write_locks(table, list(names) or None, upgrade=upgrade, say=say)
    say(f"Wrote {len(written)} files below images/locks.")
    return 0
