"""What a user meets when something is wrong: one clear error, exit 1 or 2, no other engine."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest
from verbs_helpers import copied_checkout, invoke

NOBODY = 65534


def test_a_wrong_environment_name_gets_the_nearest_one() -> None:
    """Exit 2 before anything is looked at, with the name that was meant."""
    done = invoke("build", "--env", "torch28-cuda125", "--engine", "venv")

    assert 2 == done.returncode
    assert "torch28-cuda124" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_engine_that_does_not_answer_is_an_error_and_no_other_is_taken() -> None:
    """DOCKER_HOST names an engine that is not there: exit 2, and venv is not taken in silence."""
    done = invoke("build", "run-all", DOCKER_HOST="tcp://127.0.0.1:1")

    assert 2 == done.returncode
    assert "DOCKER_HOST" in done.stderr
    assert "127.0.0.1:1" in done.stderr
    assert "--engine venv" in done.stderr
    assert "Engine venv on" not in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take its own rights away")
def test_a_socket_without_permission_is_an_error_and_no_other_engine_is_taken(
    tmp_path: Path,
) -> None:
    """The socket is there and this user may not open it: exit 2 with the group's remedy."""
    path = tmp_path / "docker.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        os.chown(path, NOBODY, NOBODY)
        path.chmod(0o600)
        lowered = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")
        done = invoke("build", before=lowered, DOCKER_HOST=f"unix://{path}")

    assert 2 == done.returncode, done.stderr
    assert "permission" in done.stderr.lower()
    assert "newgrp docker" in done.stderr
    assert "Engine venv on" not in done.stderr


@pytest.mark.docker
def test_an_unreachable_registry_names_the_ways_out() -> None:
    """The host does not exist: exit 1, the three ways out, and nothing half-tagged."""
    before = subprocess.run(["docker", "images", "-q"], capture_output=True, check=True).stdout
    done = invoke("build", "--registry", "registry.invalid", "--env", "torch113-cuda117", "--force")
    after = subprocess.run(["docker", "images", "-q"], capture_output=True, check=True).stdout

    assert 1 == done.returncode, done.stderr
    assert "registry.invalid" in done.stderr
    for way in ("--registry", "--base", "invoke base"):
        assert way in done.stderr
    assert before == after


def test_a_row_that_was_never_published_is_refused_with_the_valid_ones(tmp_path: Path) -> None:
    """Torch 2.8 has no CUDA 12.4 wheels: exit 2, the place in the table, what exists."""
    checkout = copied_checkout(tmp_path / "a checkout")
    table = checkout / "images" / "environments.toml"
    text = table.read_text()
    table.write_text(text.replace('wheel_cuda = "12.8"', 'wheel_cuda = "12.4"'))
    assert text != table.read_text()
    done = invoke("build", "--engine", "venv", cwd=checkout)

    assert 2 == done.returncode, done.stderr
    assert "environments.torch28-cuda124.wheel_cuda" in done.stderr
    for valid in ("12.6", "12.8", "12.9"):
        assert valid in done.stderr


def test_an_unknown_workload_preset_and_device_are_wrong_input(tmp_path: Path) -> None:
    """Exit 2 and what exists, for each of them."""
    base = ("run-all", "--engine", "venv", "--out", str(tmp_path))
    cases = {
        ("--workload", "matmull"): "matmul",
        ("--preset", "quik"): "quick",
        ("--device", "gpu"): "cuda",
    }
    for options, hint in cases.items():
        done = invoke(*base, *options)

        assert 2 == done.returncode, done.stderr
        assert hint in done.stderr
        assert "Traceback" not in done.stderr
    assert [] == list(tmp_path.iterdir())


def test_report_on_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    """Exit 2, and what a run's folder looks like."""
    done = invoke("report", str(tmp_path))

    assert 2 == done.returncode
    assert "plan.json" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="a mount namespace needs root")
def test_without_any_engine_venv_is_taken_and_says_why(tmp_path: Path) -> None:
    """No socket and no DOCKER_HOST: venv serves, and the line says both."""
    hidden = tmp_path / "hidden"
    hidden.write_text('mount -t tmpfs none /run && exec "$@"\n')
    done = invoke(
        "run-all", "--workload", "nothing",
        before=("unshare", "--mount", "sh", str(hidden)), DOCKER_HOST="",
    )  # fmt: skip

    assert "Engine venv on the" in done.stderr
    assert "no Docker engine" in done.stderr


def test_the_verbs_are_listed_at_once() -> None:
    """Heavy imports happen inside tasks: the list imports none of them."""
    done = invoke("--list", PYTHONPROFILEIMPORTTIME="1")
    imported = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}

    assert 0 == done.returncode
    assert "run-all" in done.stdout
    assert set() == imported & {"docker", "rich", "scipy", "numpy", "pydantic", "jinja2"}


@pytest.mark.parametrize(
    "words",
    [
        ("run-all", "--resume", ""),
        ("envcheck", "--facts", ""),
        ("claims", "--run="),
        ("report", ""),
    ],
)
def test_an_empty_value_is_no_default(words: tuple[str, ...]) -> None:
    """An unset shell variable must not start a new run or judge another host."""
    done = invoke(*words)

    assert 2 == done.returncode
    assert "empty" in done.stderr


def test_resume_takes_no_option_of_a_new_run(tmp_path: Path) -> None:
    """A resumed run goes on as planned; what contradicts that is refused by name."""
    done = invoke("run-all", "--resume", str(tmp_path), "--rounds", "5", "--engine", "venv")

    assert 2 == done.returncode
    assert "--engine, --rounds cannot be said with --resume" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("claims", "--json", "/proc/nothing.json"),
        ("render", "--env", "torch28-cuda124", "--output", "/proc/nothing"),
    ],
)
def test_what_the_system_refuses_is_one_paragraph(words: tuple[str, ...]) -> None:
    """A path that cannot be written is an error with its path, not a traceback."""
    done = invoke(*words)

    assert 1 == done.returncode
    assert "Traceback" not in done.stderr
    assert "torchrig: " in done.stderr


def test_a_password_in_an_option_is_never_printed() -> None:
    """An address that is refused is shown without its credentials."""
    done = invoke("build", "--engine", "docker", "--index", "https://user:s3cr3t@ho st/simple")

    assert 0 != done.returncode
    assert "s3cr3t" not in done.stderr + done.stdout
