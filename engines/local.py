"""Sessions whose commands run on this machine, without a container."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Mapping, Sequence

from core.errors import EngineError
from engines import cmd
from engines.base import LOG_LIMIT, STDOUT_LIMIT, Outcome

ROOT = Path(__file__).resolve().parent.parent
"""The checkout: what PYTHONPATH must name for the suite to be found."""

KILLED = -9


class LocalSession:
    """Runs an interpreter in fresh processes, each in a temporary folder of its own.

    Args:
        interpreter: the Python to run.
        environ: the complete environment of its processes.
        identity: what the engine knows of itself.
        private_home: whether HOME is the process's temporary folder too.
    """

    def __init__(
        self,
        interpreter: Path,
        environ: Mapping[str, str],
        identity: Mapping[str, Any],
        *,
        private_home: bool,
    ) -> None:
        self._interpreter = interpreter
        self._environ = dict(environ)
        self._private_home = private_home
        self.identity: Mapping[str, Any] = dict(identity)

    def python(
        self, args: Sequence[str], *, timeout_s: float, env: Mapping[str, str] | None = None
    ) -> Outcome:
        """Run the interpreter; at ``timeout_s`` its process group is stopped."""
        folder = tempfile.mkdtemp(prefix="torchrig-trial-")
        own = {"TMPDIR": folder, **({"HOME": folder} if self._private_home else {})}
        try:
            done = cmd.run(
                [self._interpreter, *args],
                timeout_s=timeout_s,
                env={**self._environ, **own, **(env or {})},
                cwd=folder,
                stdout_limit=STDOUT_LIMIT,
            )
        except EngineError as error:
            return Outcome(-1, b"", "", timed_out=False, lost=True, reason=str(error), elapsed_s=0)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return judge(done, timeout_s)

    def close(self) -> None:
        """Nothing stays up between commands."""

    def __enter__(self) -> LocalSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def judge(done: cmd.Completed, timeout_s: float) -> Outcome:
    """What the end of a local process means."""
    return Outcome(
        done.returncode,
        done.stdout_bytes,
        done.stderr[-LOG_LIMIT:],
        done.timed_out,
        lost=done.returncode == KILLED and not done.timed_out,
        reason=_reason(done, timeout_s),
        elapsed_s=done.elapsed_s,
    )


def _reason(done: cmd.Completed, timeout_s: float) -> str:
    if done.timed_out:
        return f"It did not end within {timeout_s:g} s."
    if done.returncode == KILLED:
        return "It was killed from outside (signal 9); most often the machine is out of memory."
    if done.returncode < 0:
        return f"It ended with signal {-done.returncode}."
    if done.truncated:
        return f"It wrote more than {STDOUT_LIMIT // 1024**2} MiB; the rest was dropped."
    return f"It ended with exit status {done.returncode}." if done.returncode else ""
