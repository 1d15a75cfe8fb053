"""Compilers and ninja: found the way torch finds them, and asked by running them."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, Optional

from envcheck.facts.field import unavailable
from envcheck.facts.shell import run


def collect() -> dict[str, Any]:
    """The ``tools`` section."""
    compiler = os.environ.get("CXX") or _first("c++", "g++", "clang++")
    return {
        "nvcc": nvcc(),
        "cxx": _compiler(compiler, "c++"),
        "cc": _compiler(os.environ.get("CC") or _first("cc", "gcc", "clang"), "cc"),
        "ninja": ninja(),
    }


def nvcc() -> Any:
    """``path``, ``found_by`` (a variable or PATH), ``version`` and ``host_compiler``."""
    path, found_by = _find_nvcc()
    if not path:
        return unavailable("there is no nvcc: not in CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda")
    ran = run([path, "--version"])
    match = re.search(r"release (\d+\.\d+)(?:, V([\d.]+))?", ran.out)
    if ran.why or match is None:
        return unavailable(ran.why or f"{path} --version says {ran.text[:80]!r}")
    return {
        "path": path,
        "found_by": found_by,
        "version": match.group(2) or match.group(1),
        "host_compiler": _host_compiler(path),
    }


def _find_nvcc() -> tuple[str, str]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            path = Path(os.environ[variable]) / "bin" / "nvcc"
            return (str(path) if path.exists() else "", variable)
    on_path = shutil.which("nvcc")
    if on_path:
        return on_path, "PATH"
    usual = Path("/usr/local/cuda/bin/nvcc")
    return (str(usual), "its usual folder") if usual.exists() else ("", "")


def _host_compiler(nvcc_path: str) -> Any:
    """The version of the g++ that nvcc is told to use, where it is not the system's."""
    beside = Path(nvcc_path).resolve().parent / "g++"
    named = os.environ.get("NVCC_CCBIN") or (str(beside) if beside.exists() else "")
    if not named:
        return unavailable("nvcc uses the system's compiler")
    if Path(named).is_dir():
        named = str(Path(named) / "g++")
    return _compiler(named, "g++")


def _first(*names: str) -> str:
    return next((name for name in names if shutil.which(name)), "")


def _compiler(command: str, kind: str) -> Any:
    if not command:
        return unavailable(f"there is no {kind} compiler on PATH")
    program = command.split(maxsplit=1)[0]
    ran = run([program, "--version"])
    if ran.why or ran.returncode != 0:
        return unavailable(ran.why or f"{program} --version: {ran.text[:80]}")
    first = ran.out.strip().splitlines()[0] if ran.out.strip() else ""
    version = compiler_version(first)
    if version is None:
        return unavailable(f"{program} --version says {first[:80]!r}")
    family = "clang" if "clang" in first.lower() else "gcc"
    return {"command": program, "family": family, "version": version}


def compiler_version(line: str) -> Optional[str]:
    """The version in the first line of ``--version``.

    It is the first dotted number outside the parentheses, which hold the package's own version;
    a release date may follow it.
    """
    match = re.search(r"\d+\.\d+(?:\.\d+)?", re.sub(r"\([^)]*\)", "", line))
    return match.group() if match else None


def ninja() -> dict[str, Any]:
    """Whether the package is there, and what the executable answers when it is run."""
    ran = run(["ninja", "--version"])
    answer = ran.out.strip() if not ran.why and ran.returncode == 0 else ""
    return {
        "package": _package("ninja"),
        "beside_python": (Path(sys.executable).parent / "ninja").exists(),
        "answer": answer or unavailable(ran.why or ran.text[:200] or "no answer"),
    }


def _package(name: str) -> Any:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return unavailable(f"the package {name} is not installed")
