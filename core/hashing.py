"""Hashes that tie a result to the code and the inputs that made it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Iterable

_SKIPPED_FOLDERS = {"__pycache__", ".mypy_cache", ".ruff_cache", "_build"}


def text_hash(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def tree_hash(root: Path, folders: Iterable[str]) -> str:
    """SHA-256 over the names and contents of every source file below the named folders.

    Modification times and permissions do not count. Compiled Python and build folders are left
    out, so a checkout and a copy of it inside an image give the same hash.
    """
    digest = hashlib.sha256()
    for path in sorted(source_files(root, folders)):
        digest.update(path.relative_to(root).as_posix().encode("utf-8") + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def source_files(root: Path, folders: Iterable[str]) -> list[Path]:
    """Every regular file below ``root/folder`` that counts as source."""
    return [
        path
        for folder in folders
        for path in (root / folder).rglob("*")
        if path.is_file()
        and path.suffix not in (".pyc", ".so")
        and not _SKIPPED_FOLDERS.intersection(path.relative_to(root).parts)
    ]
