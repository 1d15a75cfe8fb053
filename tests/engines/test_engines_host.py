"""The host engine, and engines by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.errors import EngineError, InputError
from engines import host, registry
from engines.base import Target
from engines.host import HostEngine, host_environment
from engines.registry import EngineOptions, create
from engines.select import NAMES

TARGET = Target("any", {}, None, None, "3.10")
ROOT = Path(__file__).resolve().parents[2]


def test_interpreter_without_torch_is_an_error(tmp_path: Path) -> None:
    """The host engine says which interpreter lacks torch, and how to name another."""
    python = tmp_path / "python3"
    python.write_text(f"#!/bin/sh\nexec '{sys.executable}' -S -I \"$@\"\n")
    python.chmod(0o755)
    with pytest.raises(EngineError, match="TORCHRIG_HOST_PYTHON") as caught:
        HostEngine(python).open(TARGET, device="cpu", label="t")

    assert "It has no torch." == caught.value.why


def test_interpreter_that_does_not_run_is_an_error(tmp_path: Path) -> None:
    """A path that is no Python is told from one without torch."""
    with pytest.raises(EngineError, match="does not run"):
        HostEngine(tmp_path / "absent").open(TARGET, device="cpu", label="t")


def test_interpreter_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where torch is there, commands run in that interpreter, unmanaged, with the suite."""
    monkeypatch.setattr(host, "_HAS_TORCH", "")
    with HostEngine(Path(sys.executable)).open(TARGET, device="cpu", label="t") as session:
        outcome = session.python(
            ["-c", "import core.records, sys; print(sys.executable)"], timeout_s=60
        )

    assert f"{sys.executable}\n".encode() == outcome.stdout
    assert (False, "host") == (session.identity["managed"], session.identity["engine"])


def test_host_environment_describes_no_environment() -> None:
    """The caller's variables stay, a description does not, and the suite comes first."""
    env = host_environment({"TORCHRIG_ENVIRONMENT": "/x", "PYTHONPATH": "/own", "A": "b"})

    assert {"PYTHONPATH": f"{ROOT}:/own", "A": "b", "PYTHONDONTWRITEBYTECODE": "1"} == env


@pytest.mark.parametrize("name", NAMES)
def test_every_name_gives_its_engine(name: str) -> None:
    """The registry and the choice speak of the same engines."""
    engine = create(name, EngineOptions(memory="4g"))

    assert (name, name != "host") == (engine.name, engine.managed)


def test_unknown_name_is_wrong_input() -> None:
    """A name that is none lists those that are."""
    with pytest.raises(InputError, match="docker, venv, host"):
        registry.create("podman")
