"""The engines by name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Mapping

from core.errors import InputError
from engines.base import Engine


@dataclass(frozen=True)
class EngineOptions:
    """What a user may set; each engine reads what concerns it.

    ``memory`` limits a container (``16g``); ``host_python`` is the host engine's interpreter.
    """

    memory: str | None = None
    host_python: Path | None = None


def _docker(options: EngineOptions) -> Engine:
    from engines.container import Limits
    from engines.docker import DockerEngine

    return DockerEngine(limits=Limits(memory=options.memory))


def _venv(_options: EngineOptions) -> Engine:
    from engines.venv import VenvEngine

    return VenvEngine()


def _host(options: EngineOptions) -> Engine:
    from engines.host import HostEngine

    return HostEngine(options.host_python)


_FACTORIES: Mapping[str, Callable[[EngineOptions], Engine]] = {
    "docker": _docker,
    "venv": _venv,
    "host": _host,
}
NAMES = tuple(_FACTORIES)


def create(name: str, options: EngineOptions | None = None) -> Engine:
    """The engine of that name.

    Raises:
        InputError: there is none.
    """
    if name not in _FACTORIES:
        raise InputError(f"There is no engine {name}.", remedy=f"Choose one of {', '.join(NAMES)}.")
    return _FACTORIES[name](options or EngineOptions())
