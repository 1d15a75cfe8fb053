"""What the end of a command in a container means."""

from __future__ import annotations

from engines.base import STDOUT_LIMIT, Outcome
from engines.exec_stream import Exec

TIMEOUT_EXIT = 124
KILLED_EXIT = 137
SIGNAL_BASE = 128


def judge(done: Exec, timeout_s: float, *, running: bool, oom: bool) -> Outcome:
    """Tell apart an ordinary end, a time limit and a process that was taken away.

    Args:
        done: what the exec gave back.
        timeout_s: the limit that coreutils' ``timeout`` was given.
        running: whether the container still runs.
        oom: whether the kernel killed a process of the container for memory meanwhile.
    """
    at_limit = done.elapsed_s >= timeout_s
    if done.hung:
        reason = f"It did not end {done.elapsed_s - timeout_s:.0f} s after its time limit."
        return _outcome(done, reason, timed_out=True)
    if done.returncode is None or not running:
        return _outcome(done, _lost_reason(done), lost=True)
    if done.returncode in (TIMEOUT_EXIT, KILLED_EXIT) and at_limit:
        return _outcome(done, f"It did not end within {timeout_s:g} s.", timed_out=True)
    if oom:
        reason = "The kernel killed a process of this container: out of memory."
        return _outcome(done, reason, lost=True)
    if done.returncode == KILLED_EXIT:
        return _outcome(done, "It was killed from outside (signal 9).", lost=True)
    return _outcome(done, _end_reason(done))


def _outcome(done: Exec, reason: str, *, timed_out: bool = False, lost: bool = False) -> Outcome:
    code = -1 if done.returncode is None else done.returncode
    return Outcome(code, done.stdout, done.log, timed_out, lost, reason, done.elapsed_s)


def _lost_reason(done: Exec) -> str:
    cause = f" The engine says: {done.fault}" if done.fault else ""
    return f"The container went away while the command ran.{cause}"


def _end_reason(done: Exec) -> str:
    if done.truncated:
        return f"It wrote more than {STDOUT_LIMIT // 1024**2} MiB; the rest was dropped."
    if done.returncode and done.returncode > SIGNAL_BASE:
        return f"It ended with signal {done.returncode - SIGNAL_BASE}."
    return f"It ended with exit status {done.returncode}." if done.returncode else ""
