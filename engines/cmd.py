"""The one function of the host side that starts a process."""

from __future__ import annotations

import logging
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Mapping, Sequence

from core.errors import EngineError
from engines.buffers import Head, Tail

CAPTURE_LIMIT = 64 * 1024 * 1024
TAIL_LIMIT = 1024 * 1024
GRACE_S = 3.0

_LOG = logging.getLogger("torchrig.cmd")
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True)
class Completed:
    """A process that has ended.

    ``stdout`` and ``stderr`` are text (UTF-8, what is not shown as U+FFFD); ``stdout_bytes``
    is standard output as it was. ``returncode`` is negative for a signal. ``truncated`` says
    that standard output went over its limit and its rest was dropped.
    """

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str
    timed_out: bool = False
    stdout_bytes: bytes = field(default=b"", repr=False)
    truncated: bool = False
    elapsed_s: float = 0.0

    @property
    def ok(self) -> bool:
        """Exit status 0 within the time limit."""
        return self.returncode == 0 and not self.timed_out

    def tail(self, lines: int = 10) -> str:
        """The last lines of standard error, or of standard output where that is empty."""
        text = self.stderr.strip() or self.stdout.strip()
        return "\n".join(text.splitlines()[-lines:])


def run(
    argv: Sequence[str | Path],
    *,
    timeout_s: float | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | str | None = None,
    input: bytes | str | None = None,  # noqa: A002 - named as subprocess names it
    stream: bool = False,
    stdout_limit: int = CAPTURE_LIMIT,
) -> Completed:
    """Run a program to its end, in a session of its own.

    Args:
        argv: the program and its arguments; no shell is involved.
        timeout_s: seconds until the whole process group is stopped; None waits for ever.
        env: the complete environment; None inherits.
        cwd: working folder.
        input: what the program reads; without it standard input is empty.
        stream: pass both outputs live to standard error and keep their last 1 MiB.
        stdout_limit: bytes of standard output that are kept when not streaming.

    Raises:
        EngineError: the program or the working folder does not exist, or may not be run.
    """
    command = tuple(os.fspath(part) for part in argv)
    program = _resolve(command[0], env)
    _echo(command, aloud=stream)
    started = time.monotonic()
    process = _start(program, command, env, cwd, wants_input=input is not None)
    out = Tail(TAIL_LIMIT) if stream else Head(stdout_limit)
    err = Tail(TAIL_LIMIT)
    threads = _pump(process, out, err, input, live=stream)
    timed_out = False
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        timed_out = True
        _stop_group(process)
    except BaseException:
        _stop_group(process)
        raise
    finally:
        _finish(process, threads)
    return Completed(
        command,
        process.returncode,
        out.text(),
        err.text(),
        timed_out,
        out.bytes(),
        out.truncated,
        time.monotonic() - started,
    )


def hide_credentials(text: str) -> str:
    """``https://user:secret@host/`` becomes ``https://***@host/``."""
    return _CREDENTIALS.sub("***@", text)


def _resolve(name: str, env: Mapping[str, str] | None) -> str:
    path = (os.environ if env is None else env).get("PATH", os.defpath)
    found = shutil.which(name, path=path)
    if found is None:
        raise EngineError(
            f"The program {name} was not found, or may not be run.",
            why=f"PATH is {path}.",
            remedy=f"Install {Path(name).name}, or add its folder to PATH.",
        )
    return found


def _echo(command: Sequence[str], *, aloud: bool) -> None:
    line = "+ " + hide_credentials(shlex.join(command))
    _LOG.info(line)
    if aloud and not _LOG.isEnabledFor(logging.INFO):
        sys.stderr.write(line + "\n")


def _start(
    program: str,
    command: Sequence[str],
    env: Mapping[str, str] | None,
    cwd: Path | str | None,
    *,
    wants_input: bool,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            executable=program,
            env=None if env is None else dict(env),
            cwd=cwd,
            stdin=subprocess.PIPE if wants_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise EngineError(
            f"{command[0]} could not be started.",
            why=f"{error}.",
            remedy="Check that the file can be run here and that the working folder exists.",
        ) from error


def _pump(
    process: subprocess.Popen[bytes],
    out: Head,
    err: Head,
    data: bytes | str | None,
    *,
    live: bool,
) -> list[threading.Thread]:
    jobs = [(_read, (process.stdout, out, live)), (_read, (process.stderr, err, live))]
    threads = [threading.Thread(target=job, args=args, daemon=True) for job, args in jobs]
    if data is not None:
        payload = data.encode("utf-8") if isinstance(data, str) else data
        threads.append(threading.Thread(target=_write, args=(process.stdin, payload), daemon=True))
    for thread in threads:
        thread.start()
    return threads


def _read(pipe: IO[bytes], keep: Head, live: bool) -> None:  # noqa: FBT001 - a thread's target
    with pipe:
        while chunk := os.read(pipe.fileno(), 65536):
            keep.add(chunk)
            if live:
                sys.stderr.write(chunk.decode("utf-8", "replace"))
                sys.stderr.flush()


def _write(pipe: IO[bytes], data: bytes) -> None:
    try:
        with pipe:
            pipe.write(data)
    except BrokenPipeError:
        return


def _stop_group(process: subprocess.Popen[bytes]) -> None:
    _signal_group(process, signal.SIGTERM)
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _signal_group(process, signal.SIGKILL)
        process.wait()


def _finish(process: subprocess.Popen[bytes], threads: Sequence[threading.Thread]) -> None:
    """Collect the outputs; a child that outlived its parent and holds them open is killed."""
    for thread in threads:
        thread.join(1.0)
    if any(thread.is_alive() for thread in threads):
        _signal_group(process, signal.SIGKILL)
        for thread in threads:
            thread.join(GRACE_S)


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return
