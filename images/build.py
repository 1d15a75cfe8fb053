"""Build an environment's image, prove it, and only then give it its name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from core.errors import BuildError, InputError
from engines.client import connect
from images import baseimage, buildx, classic
from images.built import BuiltImage, find
from images.config import Table
from images.context import input_hash, staged
from images.lock import refuse_stale
from images.options import BuildOptions
from images.render import Builder, render
from images.schema import Environment
from images.verify import verify

__all__ = ["BuildOptions", "BuiltImage", "build", "built"]

Say = Callable[[str], None]


def built(environment: Environment) -> BuiltImage | None:
    """The environment's image as the engine holds it, None where it was not built.

    Raises:
        EngineError: the engine does not answer.
    """
    with closing(connect()) as client:
        return find(client, environment)


def build(environment: Environment, options: BuildOptions, *, say: Say = print) -> BuiltImage:
    """Build one environment's image, unless the engine has one made from the same inputs.

    It is built under a temporary name, proven by envcheck in a container, and tagged with
    ``environment.tag`` and ``environment.latest`` only when it passes. The temporary name and
    the container are removed whatever happens.

    Raises:
        InputError: an option is not in its form.
        EngineError: the engine does not answer.
        BuildError: the base, a package source or a step failed.
        CheckFailed: the image is not what it claims to be.
    """
    arguments = options.arguments(environment)
    base = options.base_image(environment)
    refuse_stale(Table((environment,), environment.name), environment.name)
    with closing(connect()) as client:
        _refuse_other_machines(client)
        current = find(client, environment)
        base_id = baseimage.local_id(client, base)
        if base_id is None and current is not None and current.base == base:
            base_id = current.base_id
        builder = _builder(options)
        dockerfile = render(environment, builder)
        if base_id is not None and not options.force:
            key = input_hash(environment, dockerfile, arguments, base_id)
            if current is not None and current.input_hash == key:
                return replace(current, cached=True)
        base_id = baseimage.ensure(client, base, say)
        key = input_hash(environment, dockerfile, arguments, base_id)
        full = {**arguments, "BASE_ID": base_id, "INPUT_HASH": key}
        return _build(client, environment, options, builder, dockerfile, full, say)


def _build(
    client: Any,
    environment: Environment,
    options: BuildOptions,
    builder: Builder,
    dockerfile: str,
    arguments: dict[str, str],
    say: Say,
) -> BuiltImage:
    say(f"{environment.name}: building with {builder} on {arguments['BASE_IMAGE']}")
    if options.ca is not None:
        say(f"{environment.name}: packages are downloaded trusting {options.ca}")
    temporary = f"torchrig/{environment.name}:building-{arguments['INPUT_HASH'][:12]}-{os.getpid()}"
    previous = baseimage.local_id(client, environment.tag)
    with _removed_afterwards(client, temporary):
        with staged(environment, dockerfile, options.ca) as folder:
            if builder == "buildkit":
                buildx.build(
                    folder, temporary, arguments,
                    ca=options.ca, proxies=options.proxies, network=options.network,
                )  # fmt: skip
            else:
                classic.build(
                    client, folder, temporary, arguments,
                    proxies=options.proxies, network=options.network, say=say,
                )  # fmt: skip
        say(f"{environment.name}: proving the image with envcheck")
        verify(client, temporary, environment.name)
        _tag(client, temporary, environment)
    image = find(client, environment)
    if image is None:
        raise BuildError(
            f"{environment.tag} went away as soon as it was tagged.",
            remedy="Check whether something else removes images from this engine.",
        )
    baseimage.remove_superseded(client, previous, image.image_id)
    return image


def _builder(options: BuildOptions) -> Builder:
    if options.builder == "classic":
        return "classic"
    if buildx.answers():
        return "buildkit"
    if options.builder == "buildkit":
        raise InputError(
            "BuildKit was asked for, and `docker buildx version` does not answer.",
            remedy="Install the docker command with its buildx plug-in, or leave --builder out: "
            "the classic builder then serves.",
        )
    return "classic"


def _refuse_other_machines(client: Any) -> None:
    machine = str(client.version().get("Arch", ""))
    if machine not in ("amd64", "x86_64"):
        raise BuildError(
            f"This engine runs on {machine}.",
            why="The locks, and PyTorch's CUDA wheels in them, are for x86-64 only.",
            remedy="Build on an x86-64 machine, or point DOCKER_HOST at one.",
        )


@contextmanager
def _removed_afterwards(client: Any, tag: str) -> Iterator[None]:
    from docker.errors import APIError

    try:
        yield
    finally:
        try:
            client.api.remove_image(tag, force=True, noprune=True)
        except APIError as error:
            if error.status_code != 404:
                raise


def _tag(client: Any, temporary: str, environment: Environment) -> None:
    for name in (environment.tag, environment.latest):
        repository, _, tag = name.rpartition(":")
        client.api.tag(temporary, repository, tag=tag, force=True)
