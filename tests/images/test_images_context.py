"""The build context holds what the Dockerfile copies, and its hash follows what matters."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from images.config import load_table
from images.context import CODE, input_hash, staged
from images.paths import ROOT
from images.render import BUILDERS, render

ENVIRONMENT = load_table().get("torch113-cuda117")


@pytest.mark.parametrize("builder", BUILDERS)
def test_every_file_that_is_copied_is_there(builder: str):
    """And nothing else but the Dockerfile travels to the engine."""
    dockerfile = render(ENVIRONMENT, builder)
    sources = [
        source
        for line in re.findall(r"^COPY (.*)$", dockerfile, re.MULTILINE)
        for source in line.split()[:-1]
    ]

    with staged(ENVIRONMENT, dockerfile, None) as folder:
        assert [] == [source for source in sources if not list(folder.glob(source))]
        assert {"Dockerfile", "images", *CODE} == {path.name for path in folder.iterdir()}
        assert {"ca.pem", "locks"} == {path.name for path in (folder / "images").iterdir()}
    assert not folder.exists()


def test_a_mask_of_the_user_does_not_change_a_layer():
    """Modes are part of a layer, so they are set."""
    before = os.umask(0o077)
    try:
        with staged(ENVIRONMENT, "", None) as folder:
            modes = {path.stat().st_mode & 0o777 for path in folder.rglob("*") if path.is_file()}
    finally:
        os.umask(before)

    assert {0o644} == modes


def test_a_ca_travels_as_one_file(tmp_path: Path):
    """Its text and no other file of its folder."""
    ca = tmp_path / "corporate.pem"
    ca.write_text("certificate", encoding="utf-8")

    with staged(ENVIRONMENT, "", ca) as folder:
        assert "certificate" == (folder / "images/ca.pem").read_text(encoding="utf-8")


def test_the_hash_follows_sources_base_and_arguments(tmp_path: Path):
    """Each of them, and not the time of a file."""
    for room in CODE:
        shutil.copytree(ROOT / room, tmp_path / room)

    def key(dockerfile: str = "FROM x", base: str = "sha256:1", uid: str = "1000") -> str:
        return input_hash(ENVIRONMENT, dockerfile, {"UID": uid}, base, tmp_path)

    first = key()
    os.utime(tmp_path / "core/errors.py", (0, 0))
    assert first == key()
    assert 4 == len({first, key(dockerfile="FROM y"), key(base="sha256:2"), key(uid="1001")})

    (tmp_path / "workloads/new.py").write_text("x = 1\n", encoding="utf-8")
    assert first != key()
