"""The running interpreter, its packages and the variables that change what they do."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import sys
import sysconfig
from pathlib import Path
from typing import Any

from envcheck.facts.field import attempt, unavailable
from envcheck.facts.system import size_of_mount

VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_DISABLE_REQUIRES",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "CUDA_HOME",
    "CUDA_PATH",
    "NVCC_CCBIN",
    "CC",
    "CXX",
    "TORCH_CUDA_ARCH_LIST",
    "TORCH_EXTENSIONS_DIR",
    "NVIDIA_TF32_OVERRIDE",
    "PYTHONPATH",
)


def collect() -> dict[str, Any]:
    """The ``python`` section."""
    return {
        "version": platform.python_version(),
        "prefix": os.path.realpath(sys.prefix),
        "headers": attempt(_headers),
        "pkg_resources": attempt(_has, "pkg_resources"),
        "shared_memory_bytes": attempt(size_of_mount, "/dev/shm"),  # noqa: S108 - size only
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
    }


def packages() -> dict[str, str]:
    """Installed distributions: normalised name to version, the first found on the path."""
    found: dict[str, str] = {}
    for item in importlib.metadata.distributions():
        name = item.metadata["Name"]
        if name and item.version:
            found.setdefault(normalised(name), item.version)
    return found


def normalised(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _headers() -> Any:
    folder = sysconfig.get_path("include")
    header = Path(folder) / "Python.h"
    return str(header) if header.is_file() else unavailable(f"{header} does not exist")


def _has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
