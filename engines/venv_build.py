"""Make one isolated environment: all of it, or none that anyone would use."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence

from core import jsonio
from core.errors import EngineError, ResultError
from core.hashing import text_hash, tree_hash
from engines import cmd
from engines.base import Target
from engines.local import ROOT
from engines.pythons import Interpreter, ask, pick
from engines.uv import find_uv, uv_environment

MARKER = "torchrig-complete.json"
KERNELS = "torchrig-kernels"
KERNELS_RECORD = "torchrig-kernels.json"
KERNEL_SOURCES = ("kernels", "core")
SYNC_S = 3600.0
KERNELS_S = 1800.0


@dataclass(frozen=True)
class Built:
    """An environment that is whole.

    ``kernels`` is the folder of the prebuilt extension, None where it could not be built;
    ``record`` holds the reason and what else identifies the environment, as plain data.
    ``reused`` says that nothing had to be installed.
    """

    folder: Path
    python: Path
    kernels: Path | None
    reused: bool
    record: Mapping[str, Any] = field(default_factory=dict)


def build(
    target: Target, lock: Path, home: Path, interpreters: Callable[[], Sequence[Interpreter]]
) -> Built:
    """Find the environment whole, or make it anew.

    Args:
        target: the environment; its ``python`` is the version to use.
        lock: requirements with hashes for that version.
        home: the folder below which environments are kept, in ``venvs/``.
        interpreters: gives the Pythons of this machine; called only when one is needed.

    Raises:
        EngineError: no Python, or the lock cannot be installed.
    """
    lock_hash = text_hash(lock.read_text(encoding="utf-8"))
    folder = home / "venvs" / f"{target.environment}-py{target.python}-{lock_hash[:12]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.with_name(f"{folder.name}.lock")):
        record = _whole(folder)
        reused = record is not None
        if record is None:
            record = _make(target, lock, folder, interpreters())
        jsonio.write(folder / "environment.json", {**target.description, "engine": "venv"})
        kernels, reason = build_kernels(folder)
    record = {**record, "folder": str(folder), "kernels_reason": reason}
    return Built(folder, folder / "bin" / "python", kernels, reused, record)


def _whole(folder: Path) -> dict[str, Any] | None:
    """The record of a complete environment whose Python still runs; otherwise None."""
    try:
        record = jsonio.read(folder / MARKER)
    except ResultError:
        return None
    still_runs = ask(folder / "bin" / "python")
    return dict(record) if still_runs and isinstance(record, dict) else None


def _make(
    target: Target, lock: Path, folder: Path, interpreters: Sequence[Interpreter]
) -> dict[str, Any]:
    shutil.rmtree(folder, ignore_errors=True)
    uv = find_uv()
    chosen = pick(interpreters, target.python)
    _create(uv, target, folder, chosen)
    _install(uv, target, lock, folder)
    inside = ask(folder / "bin" / "python")
    record = {
        "schema": 1,
        "python": inside.full if inside else "",
        "headers": bool(inside and inside.headers),
        "interpreter": str(chosen.path) if chosen else "installed by uv",
        "uv": cmd.run([uv, "--version"], timeout_s=60).stdout.strip(),
        "lock_hash": text_hash(lock.read_text(encoding="utf-8")),
    }
    jsonio.write(folder / MARKER, record)
    return record


def _create(uv: Path, target: Target, folder: Path, chosen: Interpreter | None) -> None:
    python = str(chosen.path) if chosen else target.python
    command: list[str | Path] = [uv, "venv", "--no-project", "--python", python, folder]
    done = cmd.run(command, env=uv_environment(), timeout_s=SYNC_S)
    if done.ok:
        return
    if chosen is not None:
        raise EngineError(
            f"An environment could not be made with {chosen.path}.",
            why=cmd.hide_credentials(done.tail(3)),
            remedy="Check the free space and permissions of its folder, or set TORCHRIG_HOME.",
        )
    others = ", ".join(target.pythons) or target.python
    raise EngineError(
        f"No Python {target.python} was found for {target.environment}, and uv could not "
        "install one.",
        why=cmd.hide_credentials(done.tail(3)),
        remedy=f"Install it (`sudo apt-get install python{target.python} python{target.python}-dev`"
        f" or `pyenv install {target.python}`), or choose one of {others} with --python.",
    )


def _install(uv: Path, target: Target, lock: Path, folder: Path) -> None:
    command: list[str | Path] = [uv, "pip", "sync", "--require-hashes", "--no-build"]
    command += ["--python", folder / "bin" / "python", lock]
    done = cmd.run(command, env=uv_environment(), timeout_s=SYNC_S, stream=True)
    if not done.ok:
        raise EngineError(
            f"The packages of {target.environment} could not be installed.",
            why="It took over an hour." if done.timed_out else cmd.hide_credentials(done.tail(5)),
            remedy="Check the network, proxy and free space; PIP_INDEX_URL names another package "
            "index. Nothing half-installed is kept in use: run the same command again.",
        )


def build_kernels(folder: Path) -> tuple[Path | None, str]:
    """Build the suite's extension for the environment, unless its sources are unchanged.

    Returns:
        The folder and an empty reason, or None and why there is no extension.
    """
    out, record_path = folder / KERNELS, folder / KERNELS_RECORD
    sources = tree_hash(ROOT, KERNEL_SOURCES)
    if _kernels_hash(record_path) == sources and out.is_dir():
        return out, ""
    record_path.unlink(missing_ok=True)
    shutil.rmtree(out, ignore_errors=True)
    done = _run_kernels_build(folder, out)
    if not done.ok:
        cause = "it took too long" if done.timed_out else done.tail(3)
        return None, f"The extension could not be built: {cause}"
    jsonio.write(record_path, {"schema": 1, "sources": sources})
    return out, ""


def _run_kernels_build(folder: Path, out: Path) -> cmd.Completed:
    keep = {k: v for k, v in os.environ.items() if k in ("CC", "CXX") or k.startswith("CUDA")}
    with tempfile.TemporaryDirectory(prefix="torchrig-kernels-") as scratch:
        env = {
            **keep,
            "PATH": os.pathsep.join([str(folder / "bin"), os.environ.get("PATH", os.defpath)]),
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TORCHRIG_ENVIRONMENT": str(folder / "environment.json"),
            "HOME": scratch,
            "TMPDIR": scratch,
        }
        command: list[str | Path] = [
            folder / "bin" / "python",
            "-m",
            "kernels",
            "build",
            "--out",
            out,
        ]
        return cmd.run(command, env=env, cwd=scratch, timeout_s=KERNELS_S)


def _kernels_hash(record_path: Path) -> str | None:
    try:
        return str(jsonio.read(record_path)["sources"])
    except (ResultError, KeyError, TypeError):
        return None


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock file, so that two commands never make the same environment at once."""
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
