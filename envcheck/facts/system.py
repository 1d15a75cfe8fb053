"""The machine itself: kernel, distribution, CPU, memory, modules and PCI display devices."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

from envcheck.facts import clock, disks, kernel_log, virtual
from envcheck.facts.field import attempt, read_text, unavailable

NVIDIA_VENDOR = "0x10de"
_MODULES = ("nvidia", "nvidia_uvm", "nvidia_modeset", "nvidia_drm", "nouveau")


def collect() -> dict[str, Any]:
    """The ``system`` section."""
    return {
        "kernel": attempt(platform.release),
        "machine": attempt(platform.machine),
        "distribution": attempt(distribution, "/etc/os-release"),
        "virtualisation": attempt(virtual.virtual_machine),
        "container": attempt(virtual.container),
        "cpu_model": attempt(_cpu_model),
        "cpus": attempt(_cpus),
        "cpu_quota": attempt(cpu_quota, "/sys/fs/cgroup"),
        "governor": attempt(read_text, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "memory_bytes": attempt(_meminfo, "MemTotal"),
        "memory_available_bytes": attempt(_meminfo, "MemAvailable"),
        "swap_bytes": attempt(_meminfo, "SwapTotal"),
        "shared_memory_bytes": attempt(size_of_mount, "/dev/shm"),  # noqa: S108 - size only
        "clock_synchronised": attempt(clock.synchronised),
        "secure_boot": attempt(_secure_boot),
        "modules": attempt(_modules),
        "nvidia_module_kernels": attempt(_kernels_with_nvidia, "/lib/modules"),
        "pci_gpus": attempt(_pci_gpus, "/sys/bus/pci/devices"),
        "wsl_gpu": Path("/dev/dxg").exists(),
        "xids": attempt(kernel_log.xids),
        "disks": attempt(disks.mounts),
    }


def distribution(path: str) -> dict[str, str]:
    """``id``, ``version`` and ``name`` from an os-release file."""
    pairs = (line.partition("=") for line in read_text(path).splitlines())
    found = {key: value.strip().strip("\"'") for key, _, value in pairs}
    return {
        "id": found.get("ID", "unknown"),
        "version": found.get("VERSION_ID", "unknown"),
        "name": found.get("PRETTY_NAME", found.get("NAME", "unknown")),
    }


def size_of_mount(path: str) -> int:
    """Bytes that the file system at ``path`` holds in all."""
    stat = os.statvfs(path)
    return stat.f_blocks * stat.f_frsize


def _cpu_model() -> str:
    match = re.search(r"^model name\s*:\s*(.+)$", read_text("/proc/cpuinfo"), re.MULTILINE)
    return match.group(1) if match else platform.processor() or "unknown"


def _cpus() -> int:
    return len(os.sched_getaffinity(0))


def cpu_quota(root: str) -> Any:
    """CPUs' worth of time that the control group grants, cgroup version 2 or 1."""
    new, old = Path(root) / "cpu.max", Path(root) / "cpu" / "cpu.cfs_quota_us"
    if new.exists():
        quota, period = read_text(str(new)).split()
    elif old.exists():
        quota, period = read_text(str(old)), read_text(str(old.parent / "cpu.cfs_period_us"))
    else:
        return unavailable("the control group names no limit")
    if quota in ("max", "-1"):
        return unavailable("no limit is set")
    return round(int(quota) / int(period), 2)


def _meminfo(name: str) -> int:
    match = re.search(rf"^{name}:\s*(\d+) kB", read_text("/proc/meminfo"), re.MULTILINE)
    if match is None:
        raise ValueError(f"/proc/meminfo names no {name}")
    return int(match.group(1)) * 1024


def _secure_boot() -> bool:
    if not Path("/sys/firmware/efi").exists():
        return False
    variables = sorted(Path("/sys/firmware/efi/efivars").glob("SecureBoot-*"))
    if not variables:
        raise ValueError("the firmware shows no SecureBoot variable")
    return variables[0].read_bytes()[-1:] == b"\x01"


def _modules() -> list[str]:
    loaded = {line.split()[0] for line in read_text("/proc/modules", 1 << 20).splitlines() if line}
    return [name for name in _MODULES if name in loaded]


def _kernels_with_nvidia(root: str) -> list[str]:
    if not Path(root).is_dir():
        raise FileNotFoundError(2, "no such folder", root)
    return [
        index.parent.name
        for index in sorted(Path(root).glob("*/modules.dep"))
        if re.search(r"(^|/)nvidia\.ko", read_text(str(index), 1 << 24), re.MULTILINE)
    ]


def _pci_gpus(root: str) -> list[dict[str, str]]:
    if not Path(root).is_dir():
        raise FileNotFoundError(2, "no such folder", root)
    found = []
    for device in sorted(Path(root).iterdir()):
        if read_text(str(device / "vendor")) != NVIDIA_VENDOR:
            continue
        if not read_text(str(device / "class")).startswith("0x03"):
            continue
        driver = device / "driver"
        found.append(
            {
                "id": f"10de:{read_text(str(device / 'device'))[2:]}",
                "driver": driver.resolve().name if driver.exists() else "none",
            }
        )
    return found
