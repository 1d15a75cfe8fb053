"""The container that an environment lives in: what it may do and what it may use."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from engines.base import MARK, RUN_LABEL

USER = "1000:1000"
SCRATCH = "/tmp"  # noqa: S108 - the container's own tmpfs
HELD_OPEN = ("sleep", "infinity")


@dataclass(frozen=True)
class Limits:
    """What a container may use, in Docker's notation (``8g`` is 8 GiB).

    ``memory`` None leaves the host's whole memory; ``processes`` counts threads as well.
    ``scratch`` is the size of /tmp and counts as memory while it is filled.
    """

    memory: str | None = None
    processes: int = 8192
    shared_memory: str = "2g"
    scratch: str = "8g"


def options(
    image: str,
    *,
    name: str,
    label: str,
    limits: Limits,
    command: Sequence[str] = HELD_OPEN,
    gpu: Sequence[Any] = (),
) -> dict[str, Any]:
    """Arguments for ``client.containers.create``: an ordinary user, no network, nothing else.

    Args:
        image: tag or id; it is never pulled.
        name: the container's name.
        label: the run's id.
        limits: what it may use.
        command: program and arguments; the image's entry point is not used.
        gpu: device requests, empty for none.
    """
    return {
        "image": image,
        "name": name,
        "entrypoint": [command[0]],
        "command": list(command[1:]),
        "labels": labels(label),
        "user": USER,
        "environment": {"HOME": SCRATCH, "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"},
        "network_mode": "none",
        "read_only": True,
        "tmpfs": {SCRATCH: f"exec,nosuid,nodev,mode=1777,size={limits.scratch}"},
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "pids_limit": limits.processes,
        "shm_size": limits.shared_memory,
        "mem_limit": limits.memory,
        "memswap_limit": limits.memory,
        "init": True,
        "log_config": {"type": "none"} if command is HELD_OPEN else None,
        "device_requests": list(gpu),
    }


def labels(label: str) -> Mapping[str, str]:
    """The labels by which everything of a run is found again."""
    return {**MARK, RUN_LABEL: label}


def new_name(label: str, environment: str) -> str:
    """A container name that is valid, readable and not taken."""
    words = re.sub(r"[^a-zA-Z0-9_.-]+", "-", f"torchrig-{environment}-{label}")
    return f"{words[:100]}-{secrets.token_hex(4)}"


def remove_leftovers(client: Any) -> list[str]:
    """Remove every container that carries this tool's label, and give their names.

    Containers without the label are never touched, whatever they are called.
    """
    from docker.errors import NotFound

    removed = []
    mark = [f"{key}={value}" for key, value in MARK.items()]
    for container in client.containers.list(all=True, filters={"label": mark}):
        try:
            container.remove(force=True, v=True)
        except NotFound:
            continue
        removed.append(str(container.name))
    return removed
