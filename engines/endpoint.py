"""Which Docker engine the user means, before anything is connected."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping

from core.errors import EngineError

DEFAULT_SOCKET = Path("/var/run/docker.sock")


@dataclass(frozen=True)
class Endpoint:
    """An engine's address and who named it.

    ``source`` is ``DOCKER_HOST``, ``context NAME``, ``default socket`` or ``rootless socket``.
    ``tls`` is the Docker SDK's TLS configuration or None.
    """

    host: str
    source: str
    tls: Any = field(default=None, repr=False, compare=False)

    @property
    def named_by_user(self) -> bool:
        """Whether a person chose this address, so that its absence is an error."""
        return self.source not in ("default socket", "rootless socket")

    @property
    def socket(self) -> Path | None:
        """The socket file, for an address on this machine."""
        scheme, _, path = self.host.partition("://")
        return Path("/" + path.lstrip("/")) if scheme == "unix" else None


def endpoint(environ: Mapping[str, str] | None = None) -> Endpoint:
    """The engine that the docker command would talk to, and the rootless socket after it.

    The order is the docker command's own: DOCKER_CONTEXT, DOCKER_HOST, the context chosen with
    ``docker context use``, the default socket.

    Raises:
        EngineError: DOCKER_CONTEXT names no context, or TLS is asked for without certificates.
    """
    env = os.environ if environ is None else environ
    name = env.get("DOCKER_CONTEXT", "")
    if not name and env.get("DOCKER_HOST"):
        return Endpoint(env["DOCKER_HOST"], "DOCKER_HOST", _tls(env))
    name = name or _current_context()
    if name != "default":
        return _from_context(name)
    return _local_socket(env)


def command_environment(place: Endpoint, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment with which the docker command reaches the same engine."""
    env = dict(environ)
    if place.source == "rootless socket":
        env["DOCKER_HOST"] = place.host
    return env


def _local_socket(env: Mapping[str, str]) -> Endpoint:
    folder = env.get("XDG_RUNTIME_DIR", "")
    rootless = Path(folder) / "docker.sock" if folder else None
    if rootless is not None and rootless.exists() and not DEFAULT_SOCKET.exists():
        return Endpoint(f"unix://{rootless}", "rootless socket")
    return Endpoint(f"unix://{DEFAULT_SOCKET}", "default socket")


def _current_context() -> str:
    from docker.context.config import get_current_context_name

    return str(get_current_context_name() or "default")


def _from_context(name: str) -> Endpoint:
    from docker.context import ContextAPI

    context = ContextAPI.get_context(name)
    if context is None:
        raise EngineError(
            f"The Docker context {name} does not exist.",
            why="DOCKER_CONTEXT or `docker context use` names it.",
            remedy="Choose one from `docker context ls`, or unset DOCKER_CONTEXT.",
        )
    return Endpoint(str(context.Host), f"context {name}", context.TLSConfig)


def _tls(env: Mapping[str, str]) -> Any:
    from docker.errors import TLSParameterError
    from docker.utils import kwargs_from_env

    try:
        return kwargs_from_env(environment=dict(env)).get("tls")
    except TLSParameterError as error:
        raise EngineError(
            "The TLS settings for DOCKER_HOST cannot be used.",
            why=f"{error}",
            remedy="Set DOCKER_CERT_PATH to the folder with ca.pem, cert.pem and key.pem, "
            "or unset DOCKER_TLS_VERIFY.",
        ) from error
