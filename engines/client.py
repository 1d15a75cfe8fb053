"""The Docker SDK's client, and plain facts on the engine behind it."""

from __future__ import annotations

import errno
import os
import re
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Mapping

from core.errors import EngineError
from core.versions import release
from engines import cmd
from engines.endpoint import Endpoint, command_environment, endpoint

if TYPE_CHECKING:
    import docker

Status = Literal["ok", "absent", "denied", "dead", "unreachable", "too-old"]

ANSWER_S = 5.0
REQUEST_S = 120.0
OLDEST_API = "1.41"
OLDEST_RELEASE = "20.10"


@dataclass(frozen=True)
class DockerFacts:
    """What is known of the Docker engine on this machine; nothing here holds a secret.

    ``absent`` means no socket and nobody who named an address. ``detail`` is the cause in
    words for every status but ``ok``. The rest is filled for ``ok`` only.
    """

    status: Status
    address: str
    source: str
    detail: str = ""
    version: str = ""
    api_version: str = ""
    storage_driver: str = ""
    data_root: str = ""
    runtimes: tuple[str, ...] = ()
    cdi_dirs: tuple[str, ...] = ()
    rootless: bool = False
    snap: bool = False
    buildx: str | None = None

    @property
    def usable(self) -> bool:
        """Whether the engine answers this user."""
        return self.status == "ok"


def connect(environ: Mapping[str, str] | None = None) -> docker.DockerClient:
    """A client of the engine that the docker command would use.

    Raises:
        EngineError: there is no engine, or it does not answer this user; the error tells apart
            a missing socket, a refused one, a dead daemon, a silent DOCKER_HOST and an engine
            that is too old.
    """
    import docker

    place = endpoint(environ)
    status, detail = _reach(place)
    if status != "ok":
        raise explain(DockerFacts(status, _shown(place), place.source, detail))
    return docker.DockerClient(**_arguments(place, REQUEST_S))


def probe(environ: Mapping[str, str] | None = None) -> DockerFacts:
    """Facts on the engine; never raises for an engine that does not answer.

    Raises:
        EngineError: what names the engine (DOCKER_CONTEXT, TLS settings) is itself wrong.
    """
    import docker

    place = endpoint(environ)
    status, detail = _reach(place)
    if status != "ok":
        return DockerFacts(status, _shown(place), place.source, detail)
    client = docker.DockerClient(**_arguments(place, ANSWER_S))
    try:
        return facts_from(place, client.info(), client.version(), buildx_version(place))
    finally:
        client.close()


def facts_from(
    place: Endpoint, info: Mapping[str, Any], version: Mapping[str, Any], buildx: str | None
) -> DockerFacts:
    """Facts out of the engine's own answers."""
    root = str(info.get("DockerRootDir", ""))
    return DockerFacts(
        "ok",
        _shown(place),
        place.source,
        version=str(version.get("Version", "")),
        api_version=str(version.get("ApiVersion", "")),
        storage_driver=str(info.get("Driver", "")),
        data_root=root,
        runtimes=tuple(sorted(info.get("Runtimes") or {})),
        cdi_dirs=tuple(info.get("CDISpecDirs") or ()),
        rootless="name=rootless" in (info.get("SecurityOptions") or ()),
        snap=root.startswith("/var/snap/"),
        buildx=buildx,
    )


def buildx_version(place: Endpoint) -> str | None:
    """The version of the docker command's buildx plug-in; None where it does not answer."""
    env = command_environment(place, os.environ)
    try:
        done = cmd.run(["docker", "buildx", "version"], env=env, timeout_s=ANSWER_S)
    except EngineError:
        return None
    words = done.stdout.split()
    return words[1] if done.ok and len(words) > 1 else None


def explain(facts: DockerFacts) -> EngineError:
    """The error for an engine that cannot be used, with the way out."""
    return EngineError(_WHAT[facts.status].format(facts), why=facts.detail, remedy=_remedy(facts))


_NO_SSH = (
    "ssh:// addresses are not spoken here; forward the socket with `ssh -NL "
    "/tmp/docker.sock:/var/run/docker.sock HOST` and set DOCKER_HOST=unix:///tmp/docker.sock."
)
_WHAT: Mapping[str, str] = {
    "absent": "There is no Docker engine on this machine.",
    "denied": "The Docker engine at {0.address} refuses this user.",
    "dead": "Nothing answers at the Docker socket {0.address}.",
    "unreachable": "The Docker engine named by {0.source} ({0.address}) does not answer.",
    "too-old": "The Docker engine at {0.address} is too old.",
    "ok": "The Docker engine at {0.address} answers.",
}


def _remedy(facts: DockerFacts) -> str:
    if facts.status == "denied":
        return _membership_remedy(facts.address)
    if facts.status == "unreachable":
        name = facts.source if facts.source == "DOCKER_HOST" else "DOCKER_CONTEXT"
        return (
            f"Correct {name}, or unset it to use this machine's own engine; start the engine "
            "that it names if the address is right."
        )
    return {
        "absent": "Install Docker Engine, or use the venv engine with --engine venv.",
        "dead": "Start it with `sudo systemctl start docker` (its log: `journalctl -u docker`), "
        "or remove the socket file if Docker was uninstalled.",
        "too-old": f"Update Docker Engine to {OLDEST_RELEASE} or newer.",
        "ok": "Nothing needs to be done.",
    }[facts.status]


def _membership_remedy(address: str) -> str:
    if address.startswith("unix://") and _in_socket_group_but_not_here(address[7:]):
        return (
            "Your account is in the socket's group, but this login is not yet: "
            "log in again, or run `newgrp docker` first."
        )
    return (
        "Run `sudo usermod -aG docker $USER` and log in again (or `newgrp docker`), "
        "set up rootless Docker, or run this command with sudo."
    )


def _in_socket_group_but_not_here(path: str) -> bool:
    import grp
    import pwd

    try:
        group = grp.getgrgid(os.stat(path).st_gid)  # noqa: PTH116 - a socket, not a file to open
        user = pwd.getpwuid(os.getuid()).pw_name
    except (OSError, KeyError):
        return False
    return user in group.gr_mem and group.gr_gid not in (*os.getgroups(), os.getegid())


def _reach(place: Endpoint) -> tuple[Status, str]:
    """Knock first at the socket, then ask the engine for its version."""
    status, detail = _knock(place)
    return _ask(place) if status == "ok" else (status, detail)


def _knock(place: Endpoint) -> tuple[Status, str]:
    if place.host.startswith("ssh://"):
        return "unreachable", _NO_SSH
    if place.socket is None:
        return "ok", ""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knocking:
        knocking.settimeout(ANSWER_S)
        try:
            knocking.connect(str(place.socket))
        except OSError as error:
            return _socket_status(place, error)
    return "ok", ""


def _socket_status(place: Endpoint, error: OSError) -> tuple[Status, str]:
    detail = f"{place.socket}: {error.strerror or error}."
    if error.errno in (errno.EACCES, errno.EPERM):
        return "denied", detail
    if place.named_by_user:
        return "unreachable", detail
    return ("absent" if error.errno == errno.ENOENT else "dead"), detail


def _ask(place: Endpoint) -> tuple[Status, str]:
    import docker
    from docker.errors import DockerException

    silent: Status = "unreachable" if place.named_by_user else "dead"
    try:
        client = docker.DockerClient(**_arguments(place, ANSWER_S))
        try:
            api = str(client.version()["ApiVersion"])
        finally:
            client.close()
    except (DockerException, OSError, KeyError, ValueError) as error:
        return silent, _brief(str(error))
    if release(api) < release(OLDEST_API):
        return (
            "too-old",
            f"It speaks API {api}; Docker Engine {OLDEST_RELEASE} speaks {OLDEST_API}.",
        )
    return "ok", ""


def _brief(text: str) -> str:
    """The cause at the bottom of a connection error's wrappings."""
    system = re.search(r"\[Errno -?\d+\] ([^\"')]+)", text)
    if system is not None:
        return f"{system.group(1)}."
    if "timed out" in text:
        return f"No answer within {ANSWER_S:g} s."
    return cmd.hide_credentials(f"{text}.")


def _arguments(place: Endpoint, timeout_s: float) -> dict[str, Any]:
    return {
        "base_url": place.host,
        "tls": place.tls or False,
        "timeout": timeout_s,
        "version": "auto",
    }


def _shown(place: Endpoint) -> str:
    return cmd.hide_credentials(place.host)
