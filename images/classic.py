"""Builds with the engine's classic builder, through the Docker SDK."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from images.failures import build_error

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def build(
    client: Any,
    folder: Path,
    tag: str,
    arguments: Mapping[str, str],
    *,
    proxies: Mapping[str, str],
    network: str,
    say: Callable[[str], None],
) -> None:
    """Build the folder's Dockerfile under ``tag``; each line of the log goes to ``say``.

    Raises:
        BuildError: the build failed; the error names the known causes' ways out.
    """
    given = {name: value for name, value in arguments.items() if value}
    events = client.api.build(
        path=str(folder),
        tag=tag,
        buildargs={**given, **proxies},
        network_mode=None if network == "default" else network,
        rm=True,
        forcerm=True,
        decode=True,
    )
    log, failure = follow(events, say)
    if failure:
        raise build_error(f"The build of {tag.partition(':')[0]} failed.", f"{log}\n{failure}")


def follow(events: Iterable[Mapping[str, Any]], say: Callable[[str], None]) -> tuple[str, str]:
    """Read an engine's progress events to their end.

    Returns:
        The last 400 lines, and the error that ended it (empty when all went well). Repeated
        progress of one layer is left out.
    """
    lines: list[str] = []
    failure = ""
    for event in events:
        failure = str(event.get("error", failure))
        text = str(event.get("stream") or ("" if event.get("progressDetail") else _status(event)))
        for line in _COLOUR.sub("", text).rstrip().splitlines():
            say(line)
            lines = [*lines[-399:], line]
    return "\n".join(lines), failure


def _status(event: Mapping[str, Any]) -> str:
    return f"{event.get('id', '')} {event.get('status', '')}".strip()
