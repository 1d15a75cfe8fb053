"""Locks belong to the table, carry hashes, and name no place to fetch from."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BuildError
from images.config import Table, load_table
from images.lock import UV, lock_path, read_lock, refuse_stale, stale_locks
from images.paths import LOCKS, UV_LOCK
from images.resolve import resolve

TABLE = load_table()
CASES = [(env.name, python) for env in TABLE.environments for python in env.pythons]


def changed(**fields: object) -> Table:
    """The table with fields of its first row replaced."""
    first, *others = TABLE.environments
    return replace(TABLE, environments=(first.model_copy(update=fields), *others))


def test_the_committed_locks_fit_the_table():
    """A change of the table without `invoke lock` fails here."""
    assert () == stale_locks(TABLE)


@pytest.mark.parametrize(("name", "python"), CASES)
def test_a_lock_holds_what_its_row_asks_for(name: str, python: str):
    """The versions of the row, and the packages every environment has."""
    environment = TABLE.get(name)
    lock = read_lock(lock_path(name, python))

    assert environment.torch == lock["torch"]
    assert environment.torchvision == lock["torchvision"]
    assert environment.torchaudio == lock.get("torchaudio")
    assert {"numpy", "setuptools", "ninja", "packaging", "nvidia-ml-py"} <= set(lock)
    assert (python in ("3.9", "3.10")) == ("tomli" in lock)


@pytest.mark.parametrize("python", TABLE.get("torch113-cuda117").pythons)
def test_the_old_torch_gets_what_it_can_use(python: str):
    """NumPy below 2 and a setuptools that still has pkg_resources."""
    lock = read_lock(lock_path("torch113-cuda117", python))

    assert "1" == lock["numpy"].split(".")[0]
    assert 81 > int(lock["setuptools"].split(".")[0])


@pytest.mark.parametrize("path", [UV_LOCK, *sorted(LOCKS.glob("*/*.txt"))], ids=str)
def test_every_pin_has_a_hash_and_no_address(path: Path):
    """Hashes make the index interchangeable, so none is written down."""
    text = path.read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=[A-Za-z0-9])", text)[1:]

    assert blocks
    assert [] == [block for block in blocks if "--hash=sha256:" not in block]
    assert [] == re.findall(r"https?:|file:|--index|--find-links|\.org|\.com", text)


def test_uv_is_locked_at_the_version_named():
    """The version in the code and in its lock are one."""
    assert {"uv": UV.partition("==")[2]} == read_lock(UV_LOCK)


def test_another_requirement_makes_a_lock_stale():
    """Without a network: the inputs' hash tells."""
    stale = stale_locks(changed(requirements=("numpy<2.1",)))

    assert len(TABLE.environments[0].pythons) == len(stale)
    assert {"was resolved from other inputs"} == {lock.reason for lock in stale}


def test_another_title_leaves_a_lock_alone():
    """Only what is resolved counts."""
    assert () == stale_locks(changed(title="Other"))


def test_a_missing_and_a_left_over_lock_are_found(tmp_path: Path):
    """One the table lacks, one the folder lacks."""
    shutil.copytree(LOCKS, tmp_path / "locks")
    gone = lock_path("torch113-cuda117", "3.9", tmp_path / "locks")
    shutil.move(gone, gone.with_name("py3.8.txt"))

    found = {lock.path.name: lock.reason for lock in stale_locks(TABLE, tmp_path / "locks")}
    assert {"py3.9.txt": "is missing", "py3.8.txt": "belongs to no row of the table"} == found


def test_nothing_is_built_from_a_stale_lock():
    """The error names the file and the command that mends it."""
    with pytest.raises(BuildError) as caught:
        refuse_stale(changed(requirements=("numpy<2.1",)), "torch28-cuda124")

    assert "py3.10.txt was resolved from other inputs" in str(caught.value)
    assert "invoke lock" in caught.value.remedy


def test_a_stale_lock_of_another_environment_does_not_stop_this_one():
    """Each environment answers for itself."""
    refuse_stale(changed(requirements=("numpy<2.1",)), "torch113-cuda117")


def test_no_resolution_is_an_error_with_the_resolver_s_words():
    """Requirements that contradict each other end before any index is asked."""
    with pytest.raises(BuildError) as caught:
        resolve(["numpy<1", "numpy>2"], "3.10", previous=None)

    assert "No lock could be resolved" in caught.value.what
