"""The build context: the few files that an image is made of, and their hash."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from core import jsonio
from core.hashing import source_files, text_hash, tree_hash
from images.describe import describe, description_path
from images.lock import lock_path
from images.paths import LOCKS, ROOT, UV_LOCK
from images.schema import Environment

CODE = ("core", "kernels", "envcheck", "workloads")
"""Rooms that travel into an image."""


@contextmanager
def staged(
    environment: Environment, dockerfile: str, ca: Path | None, root: Path = ROOT
) -> Iterator[Path]:
    """A temporary folder laid out like the checkout, with only what the Dockerfile copies.

    Modes are set, so a user's umask does not change a layer. ``ca`` becomes ``images/ca.pem``,
    which is empty for None.
    """
    with TemporaryDirectory(prefix="torchrig-build-") as name:
        folder = Path(name)
        for source in source_files(root, CODE):
            _copy(source, folder / source.relative_to(root))
        for target, text in context_texts(environment).items():
            _write(folder / target, text)
        _write(folder / "Dockerfile", dockerfile)
        _write(folder / "images/ca.pem", ca.read_text(encoding="utf-8") if ca else "")
        yield folder


def context_texts(environment: Environment) -> dict[str, str]:
    """Locks and descriptions by their path in the context.

    Raises:
        BuildError: a lock is missing.
    """
    texts = {"images/locks/uv.txt": UV_LOCK.read_text(encoding="utf-8")}
    folder = Path("images/locks")
    for python in environment.pythons:
        lock = lock_path(environment.name, python, LOCKS)
        description = jsonio.dumps(describe(environment, python, "docker"))
        texts[str(lock_path(environment.name, python, folder))] = lock.read_text(encoding="utf-8")
        texts[str(description_path(environment.name, python, folder))] = description
    return texts


def input_hash(
    environment: Environment,
    dockerfile: str,
    arguments: Mapping[str, str],
    base_id: str,
    root: Path = ROOT,
) -> str:
    """SHA-256 over everything that decides what the image holds.

    The CA, the proxies and the builder's caches decide how it is fetched, not what it is.
    """
    parts = [
        dockerfile,
        base_id,
        tree_hash(root, CODE),
        *(f"{name}={value}" for name, value in sorted(arguments.items())),
        *(f"{path}\n{text}" for path, text in sorted(context_texts(environment).items())),
    ]
    return text_hash("\n".join(text_hash(part) for part in parts))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    target.chmod(0o644)
