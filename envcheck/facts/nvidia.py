"""The NVIDIA driver and its GPUs: through NVML, else through nvidia-smi."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from envcheck.facts import nvml, smi
from envcheck.facts.field import attempt, read_text

LIBRARY_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/local/nvidia/lib64",
    "/usr/lib/wsl/lib",
)


def collect(*, identify: bool = False) -> dict[str, Any]:
    """The ``nvidia`` section; UUIDs only where ``identify``."""
    answer = nvml.collect(identify=identify)
    if answer["state"] != "ok":
        by_smi = smi.collect(identify=identify)
        answer = by_smi if by_smi["state"] != "absent" else answer
    return {
        **answer,
        "module_version": attempt(_module_version),
        "library_versions": attempt(library_versions, "libcuda.so"),
        "nvml_library_versions": attempt(library_versions, "libnvidia-ml.so"),
        "nodes": attempt(_nodes),
    }


def library_versions(name: str, folders: tuple[str, ...] = LIBRARY_FOLDERS) -> list[str]:
    """Full versions of the driver library ``name`` in the system's library folders, sorted."""
    pattern = re.compile(re.escape(name) + r"\.(\d+\.\d+(?:\.\d+)?)$")
    found = set()
    for folder in folders:
        for path in Path(folder).glob(f"{name}.*"):
            match = pattern.search(path.name)
            if match and path.stat().st_size > 0:
                found.add(match.group(1))
    return sorted(found)


def _module_version() -> str:
    if Path("/sys/module/nvidia/version").exists():
        return read_text("/sys/module/nvidia/version")
    match = re.search(
        r"Kernel Module(?: for \S+)?\s+(\d+\.\d+(?:\.\d+)?)",
        read_text("/proc/driver/nvidia/version"),
    )
    if match is None:
        raise ValueError("/proc/driver/nvidia/version names no version")
    return match.group(1)


def _nodes() -> list[str]:
    return sorted(path.name for path in Path("/dev").glob("nvidia*"))
