"""`invoke envcheck`: judge this host, a saved one, or an environment of the table."""

from __future__ import annotations

import sys
from typing import Iterable

from images.config import load_table
from verbs import environments


def envcheck(*, arguments: Iterable[str], names: Iterable[str], engine: str | None) -> int:
    """Run envcheck as a user would inside an environment, or on this host.

    Args:
        arguments: options of ``python -m envcheck`` as given.
        names: rows of the table; empty judges the host.
        engine: what ``--engine`` says, for environments.

    Returns:
        The worst exit status: 0, 1 or 2.
    """
    given = list(arguments)
    wanted = list(names)
    if not wanted:
        return _host(given)
    return max(_environment(name, given, engine) for name in wanted)


def _host(arguments: list[str]) -> int:
    from envcheck.cli import main

    return main(["--host", *arguments])


def _environment(name: str, arguments: list[str], engine_name: str | None) -> int:
    from engines.client import probe
    from engines.registry import create
    from engines.select import choose

    choice = choose(engine_name, probe())
    rows = environments.chosen(load_table(), [name])
    target = environments.targets(rows, choice.engine)[name]
    device = arguments[arguments.index("--device") + 1] if "--device" in arguments else "cpu"
    with create(choice.engine).open(target, device=device, label="envcheck") as session:
        outcome = session.python(["-m", "envcheck", *arguments], timeout_s=300)
    sys.stdout.write(outcome.stdout.decode("utf-8", "replace"))
    sys.stderr.write(outcome.log)
    return 1 if outcome.timed_out or outcome.lost else outcome.returncode
