"""`invoke build`: make every environment that was asked for, on the engine that serves."""

from __future__ import annotations

import os
from typing import Any, Iterable

from engines.venv import VenvEngine
from images.config import load_table
from images.schema import Environment
from verbs import environments
from verbs.front import say
from verbs.ground import Ground, settle


def build(
    *,
    names: Iterable[str],
    engine: str | None,
    device: str,
    python: str | None,
    override: bool,
    image_options: dict[str, Any],
) -> tuple[Ground, tuple[str, ...]]:
    """Build, prove and name each environment.

    Args:
        names: rows of the table; empty takes its defaults.
        engine: what ``--engine`` says, or None.
        device: ``auto``, ``cpu`` or ``cuda``: what they are going to run on.
        python: what ``--python`` says, for the venv engine.
        override: go on although a host check failed.
        image_options: fields of ``images.options.BuildOptions`` that the user gave.

    Returns:
        The settled ground and the names built, so that ``run-all`` goes on from there.
    """
    table = load_table()
    wanted = list(names)
    rows = environments.chosen(table, wanted)
    ground = settle(
        engine=engine, device=device, environments=rows, override=override, building=True
    )
    environments.refuse_names_on_host(wanted, ground.engine)
    if ground.engine == "docker":
        _build_images(rows, image_options)
    elif ground.engine == "venv":
        _make_venvs(rows, python)
    else:
        say("Engine host: nothing to build.")
        return ground, ()
    return ground, tuple(row.name for row in rows)


def _build_images(rows: tuple[Environment, ...], given: dict[str, Any]) -> None:
    from images.build import build as build_image
    from images.options import BuildOptions

    options = BuildOptions.from_environment(os.environ, **given)
    for row in rows:
        image = build_image(row, options, say=say)
        state = "is up to date" if image.cached else "was built and passed its checks"
        say(f"{row.name}: {image.image} {state} ({image.size_bytes / 1e9:.1f} GB, "
            f"Python {image.python}, base {image.base})")  # fmt: skip


def _make_venvs(rows: tuple[Environment, ...], python: str | None) -> None:
    engine = VenvEngine()
    for target in environments.targets(rows, "venv", python=python).values():
        say(
            f"{target.environment}: making an environment with Python {target.python}; the first "
            "time this downloads some GB and compiles the extension"
        )
        made = engine.prepare(target)
        state = "is up to date" if made.reused else "was made"
        say(f"{target.environment}: {made.folder.name} {state}")
        if made.kernels is None:
            say(f"{target.environment}: no extension: {made.record['kernels_reason']}")
