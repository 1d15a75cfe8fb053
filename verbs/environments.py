"""From names of the table to what an engine can start."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, Iterable, Mapping

from core.errors import BuildError, InputError
from engines.base import Target
from images.config import Table
from images.schema import Environment

HOST_ENVIRONMENT = "host"


def chosen(table: Table, names: Iterable[str]) -> tuple[Environment, ...]:
    """The named rows, or the table's defaults, the baseline first.

    Raises:
        InputError: a name that the table does not have.
    """
    rows = [table.get(name) for name in list(names) or table.default_names]
    return tuple(sorted(dict.fromkeys(rows), key=lambda row: row.name != table.baseline))


def targets(
    rows: Iterable[Environment], engine: str, *, python: str | None = None
) -> dict[str, Target]:
    """What the engine needs to start each row.

    Raises:
        BuildError: the docker engine is to run a row that was not built.
        InputError: no Python serves every row.
    """
    if engine == "docker":
        return {row.name: _image_target(row) for row in rows}
    if engine == "venv":
        return _venv_targets(list(rows), python)
    return {HOST_ENVIRONMENT: _host_target()}


def _image_target(row: Environment) -> Target:
    from images.build import built

    image = built(row)
    if image is None:
        raise BuildError(
            f"{row.name} was not built on this engine.",
            remedy=f"Build it first: invoke build --env {row.name} run-all.",
        )
    description = {**image.description, "image": image.image, "image_id": image.image_id}
    return Target(row.name, description, image.image, None, image.python, row.pythons)


def _venv_targets(rows: list[Environment], python: str | None) -> dict[str, Target]:
    from engines.pythons import common_python
    from images.config import load_table
    from images.describe import describe
    from images.lock import lock_path, refuse_stale

    table = load_table()
    for row in rows:
        refuse_stale(table, row.name)
    drafts = [Target(row.name, {}, None, None, row.python, row.pythons) for row in rows]
    version = common_python(drafts, asked=python)
    return {
        draft.environment: replace(
            draft,
            description=describe(row, version, "venv"),
            lock=lock_path(row.name, version),
            python=version,
        )
        for row, draft in zip(rows, drafts, strict=True)
    }


def _host_target() -> Target:
    """The interpreter as it is: nothing is declared, so nothing can be held against it."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    description: Mapping[str, Any] = {
        "schema": 1,
        "name": HOST_ENVIRONMENT,
        "title": "This interpreter as it is (unmanaged)",
        "engine": "host",
    }
    return Target(HOST_ENVIRONMENT, description, None, None, version)


def refuse_names_on_host(names: Iterable[str], engine: str) -> None:
    """The host engine has one environment, its own.

    Raises:
        InputError: rows of the table were named for the host engine.
    """
    if engine == "host" and any(name != HOST_ENVIRONMENT for name in names):
        raise InputError(
            "The host engine runs the current interpreter and no row of the table.",
            remedy="Leave --env out, or choose --engine docker or venv.",
        )
