"""Images in the engine: the one to build on, pulled where it is absent, and one left behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from images.classic import follow
from images.failures import build_error


def local_id(client: Any, image: str) -> str | None:
    """The id of an image in the engine, None where it is absent. No network is used."""
    from docker.errors import ImageNotFound

    try:
        return str(client.api.inspect_image(image)["Id"])
    except ImageNotFound:
        return None


def ensure(client: Any, image: str, say: Callable[[str], None]) -> str:
    """The id of the base, pulled when it is not in the engine.

    Raises:
        BuildError: the registry cannot be reached, has no such image, or refuses it.
    """
    from docker.errors import APIError

    found = local_id(client, image)
    if found is not None:
        return found
    say(f"{image} is not in the engine: pulling it")
    try:
        failure = _pull(client, image, say)
    except APIError as error:
        failure = str(error.explanation or error)
    found = None if failure else local_id(client, image)
    if found is None:
        raise build_error(f"The base image {image} could not be pulled.", failure)
    return found


def remove_superseded(client: Any, previous: str | None, current: str | None) -> None:
    """Let go of an image whose name was taken over, unless it has another or is in use."""
    from docker.errors import APIError

    if previous is None or previous == current:
        return
    try:
        if not client.api.inspect_image(previous)["RepoTags"]:
            client.api.remove_image(previous)
    except APIError as error:
        if error.status_code not in (404, 409):
            raise


def _pull(client: Any, image: str, say: Callable[[str], None]) -> str:
    repository, tag = _split(image)
    _, failure = follow(client.api.pull(repository, tag=tag, stream=True, decode=True), say)
    return failure


def _split(image: str) -> tuple[str, str | None]:
    """Repository and tag; a digest stays with the repository; no tag means ``latest``."""
    if "@" in image:
        return image, None
    head, _, last = image.rpartition("/")
    name, _, tag = last.partition(":")
    return (f"{head}/{name}" if head else name), tag or "latest"
