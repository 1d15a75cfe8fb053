"""A folder tree becomes an image: tar on one side, the engine's import on the other."""

from __future__ import annotations

import os
import tarfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.errors import BuildError

_CHUNK = 1024 * 1024


def import_tree(client: Any, tree: Path, name: str, changes: Sequence[str]) -> None:
    """Import a folder as an image of one layer, owners, links and device files included.

    Args:
        client: the Docker SDK's client.
        tree: the folder that becomes ``/``.
        name: the image's repository and tag.
        changes: Dockerfile instructions for its configuration.

    Raises:
        BuildError: the engine refused it.
    """
    from docker.errors import APIError

    repository, _, tag = name.rpartition(":")
    try:
        client.api.import_image(
            src=packed(tree), stream_src=True, repository=repository, tag=tag, changes=list(changes)
        )
    except APIError as error:
        raise BuildError(
            f"The engine did not import {name}.",
            why=str(error.explanation or error),
            remedy="Check the free space at the engine's data root.",
        ) from error


def packed(tree: Path) -> Iterator[bytes]:
    """The tree as a tar stream; nothing is written to disk."""
    read_end, write_end = os.pipe()
    failures: list[BaseException] = []
    writer = threading.Thread(target=_write, args=(tree, write_end, failures), daemon=True)
    writer.start()
    with os.fdopen(read_end, "rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk
    writer.join()
    if failures:
        raise failures[0]


def _write(tree: Path, descriptor: int, failures: list[BaseException]) -> None:
    try:
        with (
            os.fdopen(descriptor, "wb") as sink,
            tarfile.open(fileobj=sink, mode="w|", format=tarfile.GNU_FORMAT) as archive,
        ):
            archive.add(tree, arcname=".")
    except (OSError, tarfile.TarError) as error:
        failures.append(error)
