"""Which engine runs the environments. Nothing here looks at the machine: facts come in."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import EngineError, EngineRefused, InputError
from engines.client import DockerFacts, explain
from engines.registry import NAMES


@dataclass(frozen=True)
class Choice:
    """An engine and why it was taken, as half a sentence."""

    engine: str
    reason: str

    def announce(self, device: str) -> str:
        """The line a user reads before anything runs."""
        note = " Its results are marked unmanaged." if self.engine == "host" else ""
        return f"Engine {self.engine} on the {_device_name(device)}: {self.reason}.{note}"


def choose(requested: str | None, facts: DockerFacts) -> Choice:
    """The engine for a run.

    Docker is the default; venv takes its place only where no engine exists and nobody named
    one; the host engine serves only when it is asked for. An engine that exists and cannot be
    used is never passed over.

    Args:
        requested: what ``--engine`` says, or None.
        facts: what ``client.probe`` found.

    Raises:
        InputError: there is no engine of that name.
        EngineRefused: Docker should serve and cannot.
    """
    if requested is not None and requested not in NAMES:
        raise InputError(
            f"There is no engine {requested}.",
            remedy=f"Choose one of {', '.join(NAMES)}.",
        )
    if requested in ("venv", "host"):
        return Choice(str(requested), "asked for with --engine")
    if facts.usable:
        asked = "asked for with --engine" if requested else "the default"
        return Choice("docker", f"{asked}; Docker {facts.version} answers at {facts.address}")
    if facts.status == "absent" and requested is None:
        return Choice(
            "venv",
            "this machine has no Docker engine (no socket, and DOCKER_HOST is not set), so the "
            "same locks are installed into isolated environments by uv",
        )
    raise _refusal(facts)


def _refusal(facts: DockerFacts) -> EngineError:
    cause = explain(facts)
    if facts.status == "absent":
        return EngineRefused(cause.what, why=cause.why, remedy=cause.remedy)
    return EngineRefused(
        cause.what,
        why=f"{cause.why} Another engine is not taken in silence.".strip(),
        remedy=f"{cause.remedy} To do without Docker, say --engine venv.",
    )


def _device_name(device: str) -> str:
    return {"cuda": "GPU", "cpu": "CPU"}.get(device, device)
