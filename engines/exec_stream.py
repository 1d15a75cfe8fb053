"""Run one command in a running container and read what it writes."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from engines.base import LOG_LIMIT, STDOUT_LIMIT
from engines.buffers import Head, Tail

STDOUT_STREAM = 1


@dataclass(frozen=True)
class Exec:
    """A command in a container that has ended, or that was given up on.

    ``returncode`` is None where the engine no longer knows it; ``hung`` says that the deadline
    passed with the command still running. ``fault`` is the engine's error in words, or empty.
    """

    returncode: int | None
    stdout: bytes
    log: str
    truncated: bool
    hung: bool
    fault: str
    elapsed_s: float


def run_in(
    client: Any,
    container_id: str,
    argv: Sequence[str],
    *,
    deadline_s: float,
    env: Mapping[str, str] | None = None,
    workdir: str | None = None,
) -> Exec:
    """Start ``argv`` in the container and wait for its end, at most ``deadline_s`` seconds.

    An engine that goes away, or a container that does, is told in ``fault``, not raised.
    """
    from docker.errors import DockerException

    started = time.monotonic()
    out, err = Head(STDOUT_LIMIT), Tail(LOG_LIMIT)
    returncode: int | None = None
    hung, fault = False, ""
    try:
        handle = client.api.exec_create(
            container_id, list(argv), environment=dict(env or {}), workdir=workdir
        )["Id"]
        hung = not _drain(client.api.exec_start(handle, socket=True), out, err, deadline_s)
        if not hung:
            returncode = client.api.exec_inspect(handle)["ExitCode"]
    except (DockerException, OSError) as error:
        fault = str(error)
    return Exec(
        returncode,
        out.bytes(),
        err.text(),
        out.truncated,
        hung,
        fault,
        time.monotonic() - started,
    )


def _drain(stream: Any, out: Head, err: Head, deadline_s: float) -> bool:
    """Read both outputs to their end; False when the deadline came first."""
    reader = threading.Thread(target=_read_frames, args=(stream, out, err), daemon=True)
    reader.start()
    reader.join(deadline_s)
    return not reader.is_alive()


def _read_frames(stream: Any, out: Head, err: Head) -> None:
    from docker.utils import socket as frames

    each: Any = frames.frames_iter
    try:
        for kind, chunk in each(stream, tty=False):
            (out if kind == STDOUT_STREAM else err).add(chunk)
    except (OSError, ValueError, frames.SocketError):
        return
    finally:
        _close(stream)


def _close(stream: Any) -> None:
    response = getattr(stream, "_response", None)
    if response is not None:
        response.close()
    stream.close()
