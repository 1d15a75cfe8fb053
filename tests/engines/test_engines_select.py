"""The choice of an engine: nothing falls back in silence."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import EngineRefused, InputError
from engines.client import DockerFacts
from engines.select import choose


def facts(status: Any, source: str = "default socket") -> DockerFacts:
    """Facts of an engine in that state."""
    return DockerFacts(status, "unix:///var/run/docker.sock", source, "because", "24.0")


def test_docker_is_the_default() -> None:
    """An engine that answers serves without being asked for."""
    assert "docker" == choose(None, facts("ok")).engine


def test_venv_serves_only_where_there_is_no_engine_and_says_so() -> None:
    """Without socket and DOCKER_HOST the venv engine serves, and the line says why."""
    choice = choose(None, facts("absent"))
    line = choice.announce("cpu")

    assert "venv" == choice.engine
    assert all(word in line for word in ("venv", "CPU", "no Docker engine", "DOCKER_HOST"))


@pytest.mark.parametrize("status", ["denied", "dead", "unreachable", "too-old"])
@pytest.mark.parametrize("requested", [None, "docker"])
def test_an_engine_that_cannot_be_used_is_never_passed_over(
    status: str, requested: str | None
) -> None:
    """An engine that exists and fails is an error with exit 2 and two ways out."""
    with pytest.raises(EngineRefused) as caught:
        choose(requested, facts(status, "DOCKER_HOST"))

    assert 2 == caught.value.exit_code
    assert "--engine venv" in caught.value.remedy


def test_docker_asked_for_and_absent_is_refused() -> None:
    """Whoever says --engine docker does not get venv."""
    with pytest.raises(EngineRefused, match="no Docker engine"):
        choose("docker", facts("absent"))


@pytest.mark.parametrize("requested", ["venv", "host"])
@pytest.mark.parametrize("status", ["ok", "absent", "dead"])
def test_other_engines_serve_when_asked(requested: str, status: str) -> None:
    """An engine that is asked for does not depend on Docker."""
    assert requested == choose(requested, facts(status)).engine


def test_host_results_are_announced_as_unmanaged() -> None:
    """The host engine says what its results are."""
    assert "unmanaged" in choose("host", facts("absent")).announce("cuda")


def test_unknown_engine_is_wrong_input() -> None:
    """A name that is none lists the names that are."""
    with pytest.raises(InputError, match="docker, venv, host"):
        choose("podman", facts("ok"))
