"""What every engine offers: open a session on an environment, run its Python, close it.

An engine neither knows workloads nor reads results. A session hands back bytes and says how
the process ended; the caller turns that into a trial's status.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Mapping, Protocol, Sequence

STDOUT_LIMIT = 64 * 1024 * 1024
"""Bytes of standard output that a session hands back; what follows is read and dropped."""

LOG_LIMIT = 64 * 1024
"""Bytes of standard error that a session hands back: the last ones."""

RUN_LABEL = "io.torchrig.run"
MARK_LABEL = "io.torchrig"
MARK = {MARK_LABEL: "1"}
"""The label on everything that this tool makes in a Docker engine."""


@dataclass(frozen=True)
class Target:
    """An environment, as an engine needs to see it.

    ``description`` is the content of environment.json. ``image`` is what the docker engine
    runs; ``lock`` is what the venv engine installs for Python ``python`` (``"3.10"``);
    ``pythons`` are all versions that the table allows.
    """

    environment: str
    description: Mapping[str, Any]
    image: str | None
    lock: Path | None
    python: str
    pythons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """How one command in a session ended.

    Exactly one reading applies: ``lost`` (the container or the process was taken away),
    ``timed_out`` (the time limit ended it), or ``returncode`` is the program's own. ``reason``
    is a sentence for everything but a plain exit with 0.
    """

    returncode: int
    stdout: bytes
    log: str
    timed_out: bool
    lost: bool
    reason: str
    elapsed_s: float


class Session(Protocol):
    """An environment that is up and runs one command after another."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """What the engine knows of itself: plain data for the run's folder."""

    def python(
        self, args: Sequence[str], *, timeout_s: float, env: Mapping[str, str] | None = None
    ) -> Outcome:
        """Run the environment's interpreter in a fresh process, with the suite on its path."""

    def close(self) -> None:
        """Take down what was put up; calling it twice is harmless."""

    def __enter__(self) -> Session: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Engine(Protocol):
    """One way to realise environments."""

    @property
    def name(self) -> str:
        """The engine's name on the command line."""

    @property
    def managed(self) -> bool:
        """Whether the environment is what its lock says, and not whatever was there."""

    def open(self, target: Target, *, device: str, label: str) -> Session:
        """Start a session.

        Args:
            target: the environment.
            device: ``cpu`` or ``cuda``.
            label: the run's id, kept on whatever the engine creates.

        Raises:
            EngineError: the environment cannot be started; the error says what to do.
        """
