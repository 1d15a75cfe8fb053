"""Which folders the loader searches, and which CUDA libraries lie in them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from envcheck.facts.field import attempt, read_text
from envcheck.facts.nvidia import LIBRARY_FOLDERS

_SHADOWING = re.compile(r"lib(cublas|cublasLt|cudnn|cudart)\.so\.\d+(\.\d+)*$")
_LIBCUDA = re.compile(r"libcuda\.so\.(\d+\.\d+(?:\.\d+)?)$")


def collect() -> dict[str, Any]:
    """The ``libraries`` section."""
    return {
        "libcuda": attempt(_libcuda),
        "on_library_path": attempt(_on_library_path),
    }


def _libcuda() -> list[dict[str, str]]:
    """Real files of the driver library in every folder that the loader searches."""
    found: dict[str, str] = {}
    for folder in dict.fromkeys([*library_path(), *configured(), *LIBRARY_FOLDERS]):
        for path in sorted(_entries(folder)):
            match = _LIBCUDA.search(path.name)
            if match and path.stat().st_size > 0:
                found.setdefault(str(path.resolve()), match.group(1))
    return [{"path": path, "version": version} for path, version in found.items()]


def _on_library_path() -> list[str]:
    """CUDA libraries that LD_LIBRARY_PATH puts before those that torch brings."""
    return [
        str(path)
        for folder in library_path()
        for path in sorted(_entries(folder))
        if _SHADOWING.search(path.name)
    ]


def library_path() -> list[str]:
    """The folders of LD_LIBRARY_PATH."""
    return [part for part in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if part]


def configured(root: str = "/etc/ld.so.conf.d") -> list[str]:
    """The folders that the system's loader is configured with."""
    lines = [
        line.strip()
        for path in sorted(_entries(root))
        if path.suffix == ".conf"
        for line in read_text(str(path)).splitlines()
    ]
    return [line for line in lines if line.startswith("/")]


def _entries(folder: str) -> list[Path]:
    try:
        return list(Path(folder).iterdir())
    except OSError:
        return []
