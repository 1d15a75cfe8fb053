"""Python interpreters on this machine, found by running them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator, Mapping, Sequence

from core.errors import EngineError, InputError
from core.versions import major_minor
from engines import cmd
from engines.base import Target

KNOWN = ("3.9", "3.10", "3.11", "3.12", "3.13")
ANSWER_S = 20.0
_QUESTION = """
import json, os, platform, struct, sys, sysconfig
include = sysconfig.get_path("include")
print(json.dumps({
    "implementation": platform.python_implementation(),
    "version": "%d.%d" % sys.version_info[:2],
    "full": platform.python_version(),
    "executable": sys.executable,
    "bits": struct.calcsize("P") * 8,
    "headers": os.path.isfile(os.path.join(include, "Python.h")),
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A CPython that ran.

    ``path`` is what it calls its own executable, so that no shim stands in between; ``version``
    is ``3.10``; ``headers`` says that Python.h is there.
    """

    path: Path
    version: str
    full: str
    headers: bool


def find(environ: Mapping[str, str] | None = None) -> tuple[Interpreter, ...]:
    """Every interpreter on PATH, in pyenv's folder and of uv, that really runs.

    Those with headers come first, since compiling for a CPU needs them; otherwise the order is
    PATH, pyenv, uv.
    """
    env = os.environ if environ is None else environ
    asked = (ask(path) for path in _distinct(candidates(env)))
    found = [interpreter for interpreter in asked if interpreter is not None]
    return tuple(sorted(dict.fromkeys(found), key=lambda interpreter: not interpreter.headers))


def candidates(env: Mapping[str, str]) -> Iterator[Path]:
    """Paths worth trying. A pyenv shim is among them and may well not run."""
    names = [f"python{version}" for version in KNOWN] + ["python3"]
    for folder in env.get("PATH", "").split(os.pathsep):
        if folder:
            yield from (Path(folder) / name for name in names)
    home = Path(env.get("HOME") or Path.home())
    pyenv = Path(env.get("PYENV_ROOT") or home / ".pyenv")
    yield from sorted(pyenv.glob("versions/*/bin/python3"), reverse=True)
    data = Path(env.get("XDG_DATA_HOME") or home / ".local" / "share")
    managed = Path(env.get("UV_PYTHON_INSTALL_DIR") or data / "uv" / "python")
    yield from sorted(managed.glob("cpython-*/bin/python3"), reverse=True)


def ask(path: Path) -> Interpreter | None:
    """What the interpreter says of itself; None where it does not run or is no 64-bit CPython."""
    try:
        done = cmd.run([path, "-I", "-c", _QUESTION], timeout_s=ANSWER_S)
        answer = json.loads(done.stdout) if done.ok else {}
    except (EngineError, ValueError):
        return None
    if answer.get("implementation") != "CPython" or answer.get("bits") != 64:
        return None
    real = Path(answer["executable"] or path)
    return Interpreter(real, answer["version"], answer["full"], answer["headers"])


def pick(found: Iterable[Interpreter], version: str) -> Interpreter | None:
    """The first interpreter of a version (``3.10``)."""
    return next((each for each in found if each.version == version), None)


def common_python(
    targets: Sequence[Target],
    *,
    asked: str | None = None,
    found: Sequence[Interpreter] | None = None,
) -> str:
    """The one Python version that all environments are given, so that it cannot explain a ratio.

    Args:
        targets: the environments; ``python`` is their default, ``pythons`` what they allow.
        asked: what ``--python`` says (``3.10``).
        found: interpreters to choose from; None looks for them.

    Returns:
        ``asked``; else the rows' default where an interpreter of it was found; else the newest
        version found that all rows allow; else the default, which uv must then install.

    Raises:
        InputError: a row does not allow what was asked, or no version serves all rows.
    """
    shared = _shared(targets)
    if asked is not None:
        _refuse_foreign(asked, shared, targets)
        return asked
    if not shared:
        raise InputError(
            "No Python version serves all environments.",
            why=_allowed(targets),
            remedy="Compare fewer environments, or lock another version for one of them.",
        )
    defaults = [target.python for target in targets if target.python in shared]
    wanted = list(dict.fromkeys([*defaults, *shared]))
    there = {each.version for each in (find() if found is None else found)}
    return next((version for version in wanted if version in there), wanted[0])


def _shared(targets: Sequence[Target]) -> list[str]:
    sets = [set(target.pythons or (target.python,)) for target in targets]
    return sorted(set.intersection(*sets), key=major_minor, reverse=True) if sets else []


def _refuse_foreign(asked: str, shared: Sequence[str], targets: Sequence[Target]) -> None:
    if asked not in shared:
        raise InputError(
            f"Python {asked} is not allowed in every environment.",
            why=_allowed(targets),
            remedy=f"Choose one of {', '.join(shared) or 'none that all share'}.",
        )


def _allowed(targets: Sequence[Target]) -> str:
    rows = (f"{t.environment} allows {', '.join(t.pythons or (t.python,))}" for t in targets)
    return "; ".join(rows) + "."


def _distinct(paths: Iterable[Path]) -> Iterator[Path]:
    seen: set[Path] = set()
    for path in paths:
        if path.is_file() and path.resolve() not in seen:
            seen.add(path.resolve())
            yield path
