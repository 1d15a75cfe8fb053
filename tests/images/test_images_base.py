"""A base is made from the host's own mirror, as root, and only with signatures."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from core.errors import BuildError, InputError
from images import base
from images.base import base_tag, debootstrap_command, make_base
from images.mirror import choose_mirror, mirror_in
from images.tree import packed

ONE_LINE = (
    "# deb http://old.example/debian x main\ndeb [arch=amd64] http://m.example/debian/ x main\n"
)
DEB822 = "Types: deb\nURIs: https://u.example/ubuntu\nSuites: jammy\nComponents: main\n"


@pytest.mark.parametrize(
    ("suite", "expected"),
    [("bookworm", "http://m.example/debian/"), ("jammy", "https://u.example/ubuntu")],
)
def test_the_mirror_is_the_host_s_own(suite: str, expected: str):
    """In either notation, comments apart, and of the right distribution."""
    assert expected == mirror_in([ONE_LINE, DEB822], suite)


def test_a_host_without_a_mirror_says_what_to_give(tmp_path: Path):
    """The option is named."""
    with pytest.raises(BuildError) as caught:
        choose_mirror("bookworm", tmp_path)

    assert "--mirror" in caught.value.remedy


def test_signatures_are_required(tmp_path: Path):
    """And the CUDA toolkit's component only where it is asked for."""
    plain = debootstrap_command(tmp_path, "trixie", "http://m.example/debian", cuda=False)
    cuda = debootstrap_command(tmp_path, "trixie", "http://m.example/debian", cuda=True)

    assert "--force-check-gpg" in plain
    assert "--components=main" in plain
    assert "--components=main,contrib,non-free" in cuda


def test_a_base_is_named_by_its_suite():
    """With or without the toolkit."""
    assert "torchrig/base:trixie" == base_tag("trixie", cuda=False)
    assert "torchrig/base:trixie-cuda" == base_tag("trixie", cuda=True)


@pytest.mark.parametrize(("suite", "cuda"), [("a b", False), ("--help", False), ("jammy", True)])
def test_an_impossible_suite_is_wrong_input(suite: str, cuda: bool):  # noqa: FBT001
    """Before an engine is asked."""
    with pytest.raises(InputError):
        make_base(suite, cuda=cuda)


@pytest.mark.docker
def test_an_ordinary_user_is_told_to_use_sudo(monkeypatch: pytest.MonkeyPatch):
    """Before anything is downloaded."""
    monkeypatch.setattr(base.os, "geteuid", lambda: 1000)
    with pytest.raises(BuildError) as caught:
        make_base("trixie", tag="torchrig/base:never-made")

    assert "sudo" in caught.value.remedy


@pytest.mark.docker
def test_a_host_without_debootstrap_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    """By the name of its package."""
    monkeypatch.setattr(base.os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BuildError) as caught:
        make_base("trixie", tag="torchrig/base:never-made")

    assert "apt-get install debootstrap" in caught.value.remedy


def test_the_driver_s_libraries_do_not_stay_in_a_base(tmp_path: Path):
    """They come from the host; the stubs and the toolkit's own libraries stay."""
    library = tmp_path / "usr/lib/x86_64-linux-gnu"
    for folder in ("nvidia/current", "stubs"):
        (library / folder).mkdir(parents=True)
    (library / "nvidia/current/libcuda.so.470.256.02").touch()
    (library / "libcuda.so.1").symlink_to("/etc/alternatives/absent")
    (library / "libnvidia-ml.so.1").touch()
    kept = [library / "stubs/libcuda.so", library / "libcudart.so.11.0", library / "libnvrtc.so"]
    for path in kept:
        path.touch()

    assert 3 == len(base.remove_driver_libraries(tmp_path))
    assert sorted(kept) == sorted(path for path in library.rglob("*.so*"))


def test_a_tree_is_packed_with_its_links_and_modes(tmp_path: Path):
    """What the engine imports is what was installed."""
    (tmp_path / "a").write_text("text", encoding="utf-8")
    (tmp_path / "a").chmod(0o4755)
    (tmp_path / "b").symlink_to("a")
    os.link(tmp_path / "a", tmp_path / "c")

    with tarfile.open(fileobj=io.BytesIO(b"".join(packed(tmp_path)))) as archive:
        members = {member.name: member for member in archive.getmembers()}
    assert {".", "./a", "./b", "./c"} == set(members)
    assert 0o4755 == members["./a"].mode
    assert members["./b"].issym()
    assert members["./c"].islnk()


def test_a_tree_that_cannot_be_read_is_not_half_imported(tmp_path: Path):
    """The stream ends in an error, not early."""
    with pytest.raises(OSError, match="absent"):
        list(packed(tmp_path / "absent"))
