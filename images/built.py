"""Images that were built and proven: what the engine holds under an environment's name."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core import jsonio
from core.errors import ResultError
from engines.container import labels, new_name
from images.schema import Environment

DESCRIPTION = "/opt/torchrig/environment.json"
ENVIRONMENT_LABEL = "io.torchrig.environment"
INPUT_LABEL = "io.torchrig.input-hash"
BASE_LABEL = "io.torchrig.base-id"


@dataclass(frozen=True, kw_only=True)
class BuiltImage:
    """An image that passed envcheck and carries its environment's tag.

    ``image`` is the tag, ``image_id`` the content's id; ``description`` is the image's own
    environment.json; ``cached`` says that nothing had to be built.
    """

    environment: str
    image: str
    image_id: str
    python: str
    base: str
    base_id: str
    input_hash: str
    size_bytes: int
    description: Mapping[str, Any] = field(repr=False)
    cached: bool = False


def find(client: Any, environment: Environment) -> BuiltImage | None:
    """The environment's image in this engine, None where there is none of this tool's making."""
    from docker.errors import ImageNotFound

    try:
        facts = client.api.inspect_image(environment.tag)
    except ImageNotFound:
        return None
    marks = facts["Config"].get("Labels") or {}
    if marks.get(ENVIRONMENT_LABEL) != environment.name:
        return None
    description = _description(client, facts["Id"])
    return BuiltImage(
        environment=environment.name,
        image=environment.tag,
        image_id=facts["Id"],
        python=description["python"],
        base=description["base"],
        base_id=marks.get(BASE_LABEL, ""),
        input_hash=marks.get(INPUT_LABEL, ""),
        size_bytes=int(facts.get("Size", 0)),
        description=description,
    )


def _description(client: Any, image_id: str) -> dict[str, Any]:
    """The image's environment.json, read out of a container that is never started."""
    holder = client.api.create_container(
        image_id, name=new_name("read", "image"), labels=dict(labels("read"))
    )
    try:
        chunks, _ = client.api.get_archive(holder["Id"], DESCRIPTION)
        return _unpacked(b"".join(chunks))
    finally:
        client.api.remove_container(holder["Id"], force=True, v=True)


def _unpacked(archive: bytes) -> dict[str, Any]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        member = files.extractfile("environment.json")
        data = jsonio.loads(member.read().decode("utf-8") if member else "", name=DESCRIPTION)
    if not isinstance(data, dict):
        raise ResultError(
            f"The image's {DESCRIPTION} is not an object.",
            remedy="Build the image again with `invoke build --force`.",
        )
    return data
