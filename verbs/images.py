"""Verbs on images: make a local base, show what was built, remove what a crash left."""

from __future__ import annotations

from contextlib import closing

from rich.console import Console
from rich.table import Table as Grid

from engines.client import connect
from images.config import load_table
from verbs.front import say


def base(*, suite: str, cuda: bool, tag: str | None, mirror: str | None, force: bool) -> int:
    """Make a base image from distribution packages; its name goes to standard output."""
    from images.base import make_base

    name = make_base(suite, cuda=cuda, tag=tag, mirror=mirror, force=force, say=say)
    say(f"Build on it with: invoke build --base {name} run-all")
    print(name)
    return 0


def images() -> int:
    """Print the images that passed their checks, and which rows have none."""
    from images.built import find

    grid = Grid(title="Images", title_justify="left")
    for column in ("environment", "image", "id", "size", "Python", "base"):
        grid.add_column(column, overflow="fold")
    with closing(connect()) as client:
        for row in load_table().environments:
            image = find(client, row)
            if image is None:
                grid.add_row(row.name, "not built", "", "", "", "")
                continue
            size = f"{image.size_bytes / 1e9:.1f} GB"
            digest = image.image_id.removeprefix("sha256:")[:12]
            grid.add_row(row.name, image.image, digest, size, image.python, image.base)
    Console().print(grid)
    return 0


def clean() -> int:
    """Remove containers that carry this tool's label, and nothing else."""
    from engines.container import remove_leftovers

    with closing(connect()) as client:
        removed = remove_leftovers(client)
    print(f"{len(removed)} containers removed" + (f": {', '.join(removed)}" if removed else ""))
    return 0
