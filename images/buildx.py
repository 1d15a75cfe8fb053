"""Builds with BuildKit, through the docker command's buildx plug-in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from engines import cmd
from engines.client import buildx_version
from engines.endpoint import command_environment, endpoint
from images.failures import build_error


def answers() -> bool:
    """Whether the docker command is there and its buildx plug-in answers."""
    return buildx_version(endpoint()) is not None


def build(
    folder: Path,
    tag: str,
    arguments: Mapping[str, str],
    *,
    ca: Path | None,
    proxies: Mapping[str, str],
    network: str,
) -> None:
    """Build the folder's Dockerfile into the engine under ``tag``, with live progress.

    Raises:
        BuildError: the build failed; the error names the known causes' ways out.
    """
    command = buildx_command(folder, tag, arguments, ca=ca, proxies=tuple(proxies), network=network)
    done = cmd.run(command, env=_environment(proxies), stream=True)
    if not done.ok:
        raise build_error(f"The build of {tag.partition(':')[0]} failed.", done.stderr)


def buildx_command(
    folder: Path,
    tag: str,
    arguments: Mapping[str, str],
    *,
    ca: Path | None,
    proxies: Sequence[str],
    network: str,
) -> list[str]:
    """The command line. Proxies go by name: their values stay in the process's environment."""
    options = ["--builder", "default", "--load", "--progress", "plain", "--tag", tag]
    if network != "default":
        options += ["--network", network]
    for name, value in arguments.items():
        options += ["--build-arg", f"{name}={value}"] if value else []
    for name in proxies:
        options += ["--build-arg", name]
    if ca is not None:
        options += ["--secret", f"id=ca,src={ca}"]
    return ["docker", "buildx", "build", *options, str(folder)]


def _environment(proxies: Mapping[str, str]) -> dict[str, str]:
    env = {**command_environment(endpoint(), os.environ), **proxies}
    env.pop("BUILDX_BUILDER", None)
    return {**env, "DOCKER_BUILDKIT": "1", "BUILDX_NO_DEFAULT_ATTESTATIONS": "1"}
