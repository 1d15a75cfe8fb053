"""One template, every environment's Dockerfile, two builders."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

import jinja2

from core import jsonio
from images.config import Table
from images.describe import describe, description_path
from images.paths import DOCKERFILE, LOCKS, TEMPLATES
from images.schema import Environment

Builder = Literal["buildkit", "classic"]
BUILDERS: tuple[Builder, ...] = ("buildkit", "classic")
PACKAGES = ("ca-certificates", "g++", "python3", "python3-dev", "python3-venv")
"""Distribution packages that an environment stands on."""


def render(environment: Environment, builder: Builder = "buildkit") -> str:
    """The Dockerfile of one environment.

    Args:
        environment: a row of the table.
        builder: ``buildkit`` keeps package caches in mounts and takes a CA as the build secret
            ``ca``; ``classic`` uses no mounts and takes the CA as ``images/ca.pem``.
    """
    template = _templates().get_template("Dockerfile.j2")
    return template.render(environment=environment, builder=builder, packages=PACKAGES)


def rendered_files(
    table: Table, *, dockerfile: Path = DOCKERFILE, locks: Path = LOCKS
) -> dict[Path, str]:
    """Every committed file that is derived: the default image's Dockerfile and the descriptions.

    Raises:
        BuildError: a lock is missing.
    """
    files = {dockerfile: render(table.default)}
    for environment in table.environments:
        for python in environment.pythons:
            description = describe(environment, python, "docker", root=locks)
            files[description_path(environment.name, python, locks)] = jsonio.dumps(description)
    return files


def write_rendered(files: dict[Path, str]) -> list[Path]:
    """Write what differs from ``rendered_files``; gives the paths that changed."""
    stale = stale_rendered(files)
    for path in stale:
        jsonio.write_text(path, files[path])
    return stale


def stale_rendered(files: dict[Path, str]) -> list[Path]:
    """The paths whose content on disk is not what ``rendered_files`` gives."""
    return [
        path
        for path, text in files.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


@lru_cache(maxsize=1)
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - a Dockerfile, not HTML; the schema bounds every value
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
