"""Everything that is read on a host, and everything that is read inside an environment."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable

from envcheck.facts import docker, extension, libraries, nvidia, python, system, tools, torch
from envcheck.facts.field import attempt
from envcheck.facts.redact import encodable, without_home


def host(*, identify: bool = False, probe_image: str = "") -> dict[str, Any]:
    """``system``, ``nvidia`` and ``docker``."""
    found = _gather(
        {
            "system": system.collect,
            "nvidia": lambda: nvidia.collect(identify=identify),
            "docker": lambda: docker.collect(probe_image),
        }
    )
    return _named(found, identify=identify)


def environment(*, device: str = "auto", identify: bool = False) -> dict[str, Any]:
    """``python``, ``packages``, ``torch``, ``tools``, ``libraries``, ``extension``, ``nvidia``."""
    found = _gather(
        {
            "torch": lambda: torch.collect(device),
            "python": python.collect,
            "packages": python.packages,
            "tools": tools.collect,
            "libraries": libraries.collect,
            "extension": extension.collect,
            "nvidia": lambda: nvidia.collect(identify=identify),
        }
    )
    return _named(found, identify=identify)


def _named(found: dict[str, Any], *, identify: bool) -> dict[str, Any]:
    plain: dict[str, Any] = encodable(found)
    return plain if identify else without_home(plain, str(Path.home()))


def _gather(sections: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """Every section, read side by side: most of the time is spent waiting for processes."""
    with ThreadPoolExecutor(max_workers=len(sections)) as pool:
        waiting = {name: pool.submit(attempt, read) for name, read in sections.items()}
        return {name: future.result() for name, future in waiting.items()}
