"""The venv engine: isolated environments made by uv from the same locks as the images."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Mapping

from core.errors import EngineError, InputError
from core.hashing import text_hash
from engines.base import Target
from engines.local import ROOT, LocalSession
from engines.pythons import Interpreter, find
from engines.venv_build import Built, build

KEPT = ("CC", "CXX", "TZ", "USER", "LOGNAME")
KEPT_PREFIXES = ("CUDA", "NVIDIA")


class VenvEngine:
    """Makes environments once and runs them in clean processes.

    Args:
        home: folder that holds them; by default TORCHRIG_HOME, else ``.torchrig`` in the
            checkout.
        interpreters: Pythons to choose from; None looks for them when one is needed.
    """

    name = "venv"
    managed = True

    def __init__(
        self, *, home: Path | None = None, interpreters: tuple[Interpreter, ...] | None = None
    ) -> None:
        self._home = home or home_folder(os.environ)
        self._interpreters = interpreters

    def prepare(self, target: Target) -> Built:
        """Make the environment, or find it made; the slow part of ``open``.

        Raises:
            EngineError: no fitting Python, or the lock cannot be installed.
        """
        if target.lock is None or not target.lock.is_file():
            raise EngineError(
                f"{target.environment} has no lock for Python {target.python}.",
                remedy=f"Lock it with `invoke lock --env {target.environment}`, or choose "
                f"another Python ({', '.join(target.pythons)}) with --python.",
            )
        return build(target, target.lock, self._home, self._found)

    def open(self, target: Target, *, device: str, label: str) -> LocalSession:  # noqa: ARG002
        """Make the environment where it is missing, and hand out a session on it.

        Raises:
            EngineError: no fitting Python, or the lock cannot be installed.
        """
        built = self.prepare(target)
        identity = {"engine": "venv", "managed": True, **built.record}
        environ = session_environment(built, os.environ)
        return LocalSession(built.python, environ, identity, private_home=True)

    def _found(self) -> tuple[Interpreter, ...]:
        if self._interpreters is None:
            self._interpreters = find()
        return self._interpreters


def home_folder(environ: Mapping[str, str], root: Path = ROOT) -> Path:
    """Where environments are kept.

    TORCHRIG_HOME, else ``.torchrig`` in the checkout. torch.compile hands the environment's path
    to the linker without quotes, so a checkout whose path holds white space keeps its
    environments in the user's cache folder instead.

    Raises:
        InputError: no place without white space is known.
    """
    named = environ.get("TORCHRIG_HOME")
    if named:
        return _without_space(Path(named).expanduser().resolve())
    if not _has_space(root):
        return root / ".torchrig"
    home = environ.get("HOME") or str(Path.home())
    cache = Path(environ.get("XDG_CACHE_HOME") or Path(home) / ".cache")
    return _without_space(cache / "torchrig" / text_hash(str(root))[:12])


def _has_space(path: Path) -> bool:
    return any(letter.isspace() for letter in str(path))


def _without_space(path: Path) -> Path:
    if _has_space(path):
        raise InputError(
            f"Environments cannot be kept in {path}.",
            why="Its path holds white space, which the linker of torch.compile cannot take.",
            remedy="Name a folder without any: TORCHRIG_HOME=/var/tmp/torchrig.",
        )
    return path


def session_environment(built: Built, environ: Mapping[str, str]) -> dict[str, str]:
    """A clean environment: nothing of the caller's Python, libraries or caches comes along."""
    kept = {
        key: value for key, value in environ.items() if key in KEPT or key.startswith(KEPT_PREFIXES)
    }
    path = os.pathsep.join([str(built.folder / "bin"), environ.get("PATH", os.defpath)])
    kernels = {"TORCHRIG_KERNELS": str(built.kernels)} if built.kernels else {}
    return {
        "USER": "torchrig",
        **kept,
        **kernels,
        "PATH": path,
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "VIRTUAL_ENV": str(built.folder),
        "TORCHRIG_ENVIRONMENT": str(built.folder / "environment.json"),
    }
