"""Finding Python: by running it, never by its name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.errors import InputError
from engines.base import Target
from engines.pythons import Interpreter, ask, common_python, find, pick

REAL = f"{sys.version_info.major}.{sys.version_info.minor}"


EXEC = f"exec '{sys.executable}' \"$@\""
"""A shell line that becomes this Python, whose path may hold a space."""


def script(path: Path, body: str) -> Path:
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def target(name: str, python: str, *pythons: str) -> Target:
    """An environment that allows these versions."""
    return Target(name, {}, None, None, python, pythons)


def interpreter(version: str, *, headers: bool = True) -> Interpreter:
    """An interpreter of a version, wherever."""
    return Interpreter(Path(f"/py/{version}"), version, f"{version}.1", headers)


def test_shim_that_fails_is_passed_over(tmp_path: Path) -> None:
    """A pyenv shim on PATH that only complains is no Python; the one behind pyenv is found."""
    shims = tmp_path / "shims"
    script(shims / "python3.10", "echo 'pyenv: python3.10: command not found' >&2; exit 127")
    script(tmp_path / "pyenv/versions/x/bin/python3", EXEC)
    found = find({"PATH": str(shims), "PYENV_ROOT": str(tmp_path / "pyenv"), "HOME": "/nowhere"})

    assert [(REAL, Path(sys.executable))] == [(each.version, each.path) for each in found]


@pytest.mark.parametrize(
    "body",
    ["exit 0", "echo nonsense", 'echo \'{"implementation": "PyPy", "bits": 64}\'', "kill -9 $$"],
)
def test_what_does_not_answer_as_cpython_is_none(tmp_path: Path, body: str) -> None:
    """A silent, a talkative, a foreign and a dying program are all no interpreter."""
    assert ask(script(tmp_path / "python3.10", body)) is None


def test_working_shim_gives_the_interpreter_behind_it(tmp_path: Path) -> None:
    """A shim answers differently from folder to folder, so it is not what is kept."""
    found = ask(script(tmp_path / "python3", EXEC))

    assert found is not None
    assert Path(sys.executable) == found.path


def test_name_does_not_decide_the_version(tmp_path: Path) -> None:
    """A program called python3.9 that is another version counts as what it says."""
    script(tmp_path / "python3.9", EXEC)
    found = find({"PATH": str(tmp_path), "HOME": "/nowhere"})

    assert [REAL] == [each.version for each in found]


def test_uv_installations_are_found(tmp_path: Path) -> None:
    """What uv installed earlier is used again."""
    script(tmp_path / "cpython-3.x/bin/python3", EXEC)
    env = {"PATH": "", "HOME": "/nowhere", "UV_PYTHON_INSTALL_DIR": str(tmp_path)}

    assert [REAL] == [each.version for each in find(env)]


def test_first_of_a_version_is_picked() -> None:
    """The order of finding decides among equals."""
    found = [interpreter("3.11"), interpreter("3.10"), interpreter("3.10", headers=False)]

    assert found[1] == pick(found, "3.10")
    assert pick(found, "3.12") is None


OLD = target("old", "3.10", "3.9", "3.10")
NEW = target("new", "3.10", "3.9", "3.10", "3.11")


@pytest.mark.parametrize(
    ("found", "asked", "expected"),
    [
        (["3.9", "3.10", "3.11"], None, "3.10"),
        (["3.9", "3.11"], None, "3.9"),
        (["3.11"], None, "3.10"),
        ([], None, "3.10"),
        (["3.10"], "3.9", "3.9"),
    ],
)
def test_all_environments_share_one_python(
    found: list[str], asked: str | None, expected: str
) -> None:
    """Asked first, then the default, then another allowed one, then what uv shall install."""
    there = [interpreter(version) for version in found]

    assert expected == common_python([OLD, NEW], asked=asked, found=there)


def test_python_that_one_row_does_not_allow_is_refused() -> None:
    """A version must serve every row."""
    with pytest.raises(InputError, match=r"Choose one of 3\.10, 3\.9"):
        common_python([OLD, NEW], asked="3.11", found=[])


def test_rows_without_a_common_python_are_refused() -> None:
    """Where no version serves all, nothing is chosen in silence."""
    with pytest.raises(InputError, match="No Python version serves all"):
        common_python([OLD, target("newest", "3.12", "3.12")], found=[interpreter("3.12")])
