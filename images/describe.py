"""environment.json: what an environment is, for the rooms that travel into it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.hashing import text_hash
from images.lock import lock_path, lock_text, read_lock
from images.paths import LOCKS
from images.schema import Environment

SCHEMA = 1


def describe(
    environment: Environment, python: str, engine: str, *, root: Path = LOCKS
) -> dict[str, Any]:
    """The content of environment.json for one environment, Python version and engine.

    ``base`` is the table's; an image that was built on another base says so in its own copy.

    Raises:
        BuildError: there is no lock for this Python version.
    """
    path = lock_path(environment.name, python, root)
    return {
        "schema": SCHEMA,
        "name": environment.name,
        "title": environment.title,
        "base": environment.base,
        "toolkit_cuda": environment.toolkit_cuda,
        "wheel_cuda": environment.wheel_cuda,
        "torch": environment.torch,
        "torchvision": environment.torchvision,
        "torchaudio": environment.torchaudio,
        "python": python,
        "arch_list": list(environment.arch_list),
        "lock": read_lock(path),
        "lock_hash": text_hash(lock_text(path)),
        "engine": engine,
    }


def description_path(environment: str, python: str, root: Path = LOCKS) -> Path:
    """Where the description that goes into an image is kept, beside its lock."""
    return root / environment / f"py{python}.json"
