"""Building and finding the library (CASES 30, 37, 39)."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core import jsonio
from core.errors import BuildError
from kernels import ops as face
from kernels import store
from kernels.build import build
from kernels.errors import ExtensionUnavailable
from kernels.plan import Compiler
from kernels.toolchain import gather

ROOT = Path(__file__).resolve().parents[2]
COMPILES = 'while [ "$1" != -o ]; do shift; done; echo library > "$2"'


@pytest.fixture
def facts(request, tmp_path):
    """The facts of this environment with a compiler that finishes at once, and no nvcc."""
    request.getfixturevalue("torch")
    return with_compiler(gather({"PATH": os.environ["PATH"], "CUDA_HOME": "/none"}), tmp_path)


def with_compiler(base, folder: Path, text: str = COMPILES):
    compiler = folder / "cxx"
    compiler.write_text(f"#!/bin/sh\n{text}\n")
    compiler.chmod(0o755)
    return dataclasses.replace(base, cxx=Compiler(str(compiler), "12.2.0"))


def folders(out: Path) -> list[str]:
    return sorted(path.name for path in out.iterdir())


@pytest.mark.usefixtures("torch")
def test_a_real_build_needs_neither_ninja_nor_setuptools(tmp_path):
    """With no ninja on the path and a setuptools that raises, the build works and loads."""
    for name in ("pkg_resources", "setuptools"):
        (tmp_path / f"{name}.py").write_text("raise ModuleNotFoundError('poisoned')\n")
    out = tmp_path / "out"
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("g++", "as", "ld"):
        (tools / name).symlink_to(shutil.which(name) or f"{name} is absent")
    env = {
        "PATH": str(tools),
        "HOME": str(tmp_path),
        "PYTHONPATH": f"{tmp_path}:{ROOT}",
        "TORCHRIG_KERNELS": str(out),
    }
    call = [sys.executable, "-m", "kernels"]
    assert shutil.which("ninja", path=env["PATH"]) is None
    built = subprocess.run(
        [*call, "build", "--cuda", "off"], env=env, capture_output=True, text=True, check=True
    )
    shown = subprocess.run([*call, "show"], env=env, capture_output=True, text=True, check=True)

    assert "built in" in built.stdout
    assert str(out) in shown.stdout
    assert 1 == len(folders(out))


def test_an_up_to_date_build_is_a_no_op(facts, tmp_path):
    """The second build compiles nothing; --force does it again; a lost library does too."""
    out = tmp_path / "out"
    first = build(out, facts=facts)
    again = build(out, facts=facts)
    forced = build(out, facts=facts, force=True)
    forced.library.unlink()

    assert [True, False, True] == [b.fresh for b in (first, again, forced)]
    assert build(out, facts=facts).fresh
    assert [first.folder.name] == folders(out)


def test_two_torches_give_two_folders(facts, tmp_path):
    """Version sets do not share a folder."""
    out = tmp_path / "out"
    build(out, facts=facts)
    build(out, facts=dataclasses.replace(facts, torch="2.0.1+cu117"))

    assert 2 == len(folders(out))


def test_the_record_says_why_there_is_no_cuda_code(facts, tmp_path):
    """build.json holds the decision and its reason."""
    built = build(tmp_path / "out", facts=facts)
    data = jsonio.read(built.folder / store.RECORD)

    assert data["cuda"] is False
    assert "CUDA_HOME=/none" in data["reason"]
    assert data["remedy"]


def test_require_fails_before_anything_is_written(facts, tmp_path):
    """CUDA code that cannot be built is an error when it is required, and nothing is left."""
    with pytest.raises(ExtensionUnavailable, match="No nvcc"):
        build(tmp_path / "out", mode="require", facts=facts)
    assert not (tmp_path / "out").exists()


def test_a_failing_compiler_leaves_nothing_behind(facts, tmp_path):
    """The error has the compiler's words; no half-made folder is left."""
    out = tmp_path / "out"
    broken = with_compiler(facts, tmp_path, "echo 'x.cpp: error: no such thing'; exit 1")

    with pytest.raises(BuildError, match="no such thing"):
        build(out, facts=broken)
    assert [] == folders(out)


def test_a_killed_build_and_a_stale_lock_stop_nobody(facts, tmp_path):
    """Left-overs of a build that died are not waited for."""
    out = tmp_path / "out"
    (out / ".building-dead").mkdir(parents=True)
    (out / ".building-dead" / "lock").touch()
    (out / "lock").touch()

    assert build(out, facts=facts).fresh


def test_a_file_in_the_place_of_the_folder_gives_a_clear_error(facts, tmp_path):
    """An output folder that cannot be made is an error with a remedy."""
    (tmp_path / "file").touch()
    with pytest.raises(BuildError, match="--out"):
        build(tmp_path / "file", facts=facts)


def loads_nothing(monkeypatch, out: Path) -> str:
    monkeypatch.setenv("TORCHRIG_KERNELS", str(out))
    monkeypatch.setattr(face, "_loaded", None)
    with pytest.raises(ExtensionUnavailable) as caught:
        face.load()
    return str(caught.value)


def test_a_stale_library_is_not_loaded(facts, tmp_path, monkeypatch):
    """A build of another torch, even under this one's name, is not taken."""
    out = tmp_path / "out"
    other = build(out, facts=dataclasses.replace(facts, torch="2.0.1+cu117"))
    assert "builds for torch 2.0.1+cu117" in loads_nothing(monkeypatch, out)

    this = build(out, facts=facts)
    shutil.rmtree(this.folder)
    other.folder.rename(this.folder)

    assert "No build for torch" in loads_nothing(monkeypatch, out)


def test_a_replaced_library_is_not_loaded(facts, tmp_path, monkeypatch):
    """A library that is not the one its record names is not taken."""
    built = build(tmp_path / "out", facts=facts)
    built.library.write_bytes(b"planted")

    assert "is not the one" in loads_nothing(monkeypatch, tmp_path / "out")


def test_a_library_that_does_not_load_is_a_clear_error(facts, tmp_path, monkeypatch):
    """What the loader refuses is unavailable, with a remedy, not a traceback."""
    build(tmp_path / "out", facts=facts)

    assert "build --force" in loads_nothing(monkeypatch, tmp_path / "out")


def test_importing_the_room_imports_no_torch():
    """The host side, which has no torch, may import this room."""
    code = (
        "import sys, kernels, kernels.build, kernels.ops, kernels.store, kernels.__main__;"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_without_torch_the_error_says_so(monkeypatch):
    """Where torch is absent every door gives the same clear error."""
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(face, "_loaded", None)
    with pytest.raises(ExtensionUnavailable, match="torch cannot be imported"):
        face.load()
