"""Write the locks: uv resolves, this room adds what a lock promises."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from core import jsonio
from core.errors import BuildError
from engines import cmd
from images.config import Table
from images.describe import describe, description_path
from images.lock import (
    PLATFORM,
    UV,
    header,
    input_hash,
    lock_path,
    read_lock,
    requirement_lines,
)
from images.matrix import load_matrix
from images.paths import LOCKS
from images.schema import Environment

RESOLVE_S = 600.0
_ADDRESS = re.compile(r"https?://|file://|^\s*-{1,2}(?!-?hash)|@ ", re.MULTILINE)


def write_locks(
    table: Table,
    names: Iterable[str] | None = None,
    *,
    upgrade: bool = False,
    root: Path = LOCKS,
    say: Callable[[str], None] = print,
) -> list[Path]:
    """Resolve every environment for each of its Pythons, and uv itself, with hashes.

    Args:
        table: the table of environments.
        names: which environments; None takes all.
        upgrade: look for newer versions; otherwise versions in an existing lock are kept.
        root: the folder of the locks.
        say: where progress goes, one line each.

    Returns:
        The files written: a lock and a description for each environment and Python.

    Raises:
        InputError: a name is not in the table.
        BuildError: no resolution exists, or the package index cannot be reached.
    """
    chosen = [table.get(name) for name in (table.names if names is None else names)]
    written = [_write_uv_lock(root, say)]
    for environment in chosen:
        for python in environment.pythons:
            written += _write_lock(environment, python, upgrade=upgrade, root=root, say=say)
    return written


def write_descriptions(table: Table, root: Path = LOCKS) -> list[Path]:
    """Write what each lock's environment is, as it travels into images (environment.json)."""
    written = []
    for environment in table.environments:
        for python in environment.pythons:
            path = description_path(environment.name, python, root)
            jsonio.write(path, describe(environment, python, "docker", root=root))
            written.append(path)
    return written


def uv_program() -> str:
    """The uv that belongs to this interpreter, else the one on PATH.

    Raises:
        BuildError: neither exists.
    """
    beside = Path(sys.executable).parent / "uv"
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if found is None:
        raise BuildError(
            "uv was not found.",
            why="It is neither beside this interpreter nor on PATH.",
            remedy="Set the host side up again with `make`.",
        )
    return found


def _write_lock(
    environment: Environment,
    python: str,
    *,
    upgrade: bool,
    root: Path,
    say: Callable[[str], None],
) -> list[Path]:
    lines = requirement_lines(environment, python, load_matrix())
    path = lock_path(environment.name, python, root)
    say(f"{environment.name}, Python {python}: resolving")
    pins = resolve(lines, python, previous=None if upgrade else path)
    title = f"Lock of {environment.name} for Python {python}"
    jsonio.write_text(path, header(title, input_hash(lines, python)) + pins)
    _refuse_other_torch(environment, path)
    description = description_path(environment.name, python, root)
    jsonio.write(description, describe(environment, python, "docker", root=root))
    return [path, description]


def _write_uv_lock(root: Path, say: Callable[[str], None]) -> Path:
    say(f"{UV}: resolving")
    path = root / "uv.txt"
    text = header("Lock of uv, which installs the other locks", input_hash([UV], "any"))
    jsonio.write_text(path, text + resolve([UV], "3.9", previous=None))
    return path


def resolve(lines: Sequence[str], python: str, *, previous: Path | None) -> str:
    """Pins with hashes for x86-64 Linux, wheels only, in pip's format.

    Args:
        lines: the requirements.
        python: ``"3.10"``.
        previous: a lock whose versions are kept where they still fit.

    Raises:
        BuildError: uv found no resolution, or the result names an index.
    """
    with tempfile.TemporaryDirectory(prefix="torchrig-lock-") as folder:
        source, target = Path(folder, "inputs.txt"), Path(folder, "lock.txt")
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if previous is not None and previous.is_file():
            shutil.copyfile(previous, target)
        done = cmd.run(_arguments(source, target, python), env=_environment(), timeout_s=RESOLVE_S)
        if not done.ok:
            raise BuildError(
                f"No lock could be resolved for {lines[0]} and Python {python}.",
                why=done.tail(12),
                remedy="Correct the row if the versions do not exist together; if the package "
                "index cannot be reached, name one with UV_DEFAULT_INDEX.",
            )
        return _without_addresses(target.read_text(encoding="utf-8"))


def _arguments(source: Path, target: Path, python: str) -> list[str]:
    return [
        uv_program(), "pip", "compile", str(source), "--output-file", str(target), "--quiet",
        "--generate-hashes", "--only-binary", ":all:", "--no-header", "--no-annotate",
        "--no-emit-index-url", "--no-emit-find-links",
        "--python-version", python, "--python-platform", PLATFORM,
    ]  # fmt: skip


def _environment() -> dict[str, str]:
    return {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "NO_COLOR": "1"}


def _without_addresses(text: str) -> str:
    if _ADDRESS.search(re.sub(r"--hash=", "", text)):
        raise BuildError(
            "The lock would name a package index or a file of this machine.",
            why="A requirement was resolved from an address instead of a name and a version.",
            remedy="Ask for the package by name and version in the table.",
        )
    return text


def _refuse_other_torch(environment: Environment, path: Path) -> None:
    found = read_lock(path).get("torch", "")
    if found.partition("+")[0] != environment.torch:
        raise BuildError(
            f"The lock {path} holds torch {found}.",
            why=f"The table asks for {environment.torch}.",
            remedy="Look for a requirement of this row that pins torch.",
        )
