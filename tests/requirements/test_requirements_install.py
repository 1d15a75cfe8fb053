from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("install", ROOT / "requirements" / "install.py")
assert SPEC
assert SPEC.loader
install = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(install)

LOCKS = [*(ROOT / "requirements").glob("*.txt"), *(ROOT / "images" / "locks").rglob("*.txt")]


def test_a_python_that_is_too_old_is_told_how_to_name_another() -> None:
    """The answer is a command, not a version number alone."""
    problem = install.python_problem((3, 9), has_ensurepip=True)

    assert "make run PYTHON=python3.12" in problem


def test_a_stock_ubuntu_is_told_the_exact_package() -> None:
    """Ubuntu 22.04 ships Python 3.10 without ensurepip; its package carries the version."""
    problem = install.python_problem((3, 10), has_ensurepip=False)

    assert "sudo apt-get install -y python3.10-venv" in problem


def test_a_whole_python_has_no_problem() -> None:
    """3.10 with ensurepip is enough."""
    assert "" == install.python_problem((3, 10), has_ensurepip=True)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_locked_package_has_hashes_and_no_index(lock: Path) -> None:
    """A lock holds names, versions and hashes; where they are fetched from is the user's choice."""
    text = lock.read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=[a-zA-Z0-9])", re.sub(r"(?m)^#.*\n", "", text).strip())

    assert [] == [b.splitlines()[0] for b in blocks if "==" not in b or "--hash=sha256:" not in b]
    assert None is re.search(r"https?://|--index-url|--find-links|--trusted-host", text)
