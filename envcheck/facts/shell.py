"""Run a small program for what it prints; never raise and never hang."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence

LIMIT = 1024 * 1024


@dataclass(frozen=True)
class Ran:
    """What a program did. ``why`` says why there is no answer and is empty where there is one."""

    returncode: int = -1
    out: str = ""
    err: str = ""
    why: str = ""

    @property
    def text(self) -> str:
        """Both streams, what was printed to stderr last."""
        return "\n".join(part for part in (self.out.strip(), self.err.strip()) if part)


def run(
    argv: Sequence[str],
    *,
    timeout_s: float = 5.0,
    env: Optional[Mapping[str, str]] = None,
    limit: int = LIMIT,
) -> Ran:
    """Run ``argv`` with untranslated messages and no input; keep ``limit`` bytes of a stream."""
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C", **(env or {})},
            start_new_session=True,
        )
    except FileNotFoundError:
        return Ran(why=f"{argv[0]} is not on PATH")
    except OSError as error:
        return Ran(why=f"{argv[0]} does not start: {error}")
    return _finish(process, argv[0], timeout_s, limit)


def _finish(process: subprocess.Popen[bytes], name: str, timeout_s: float, limit: int) -> Ran:
    try:
        out, err = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        _kill(process)
        return Ran(why=f"{name} did not answer within {timeout_s:g} s")
    return Ran(process.returncode, _decode(out, limit), _decode(err, limit))


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _decode(raw: bytes, limit: int) -> str:
    return raw[:limit].decode("utf-8", errors="replace")
