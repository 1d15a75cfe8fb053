"""What several GPU checks share: is there a card, and how is it named."""

from __future__ import annotations

from envcheck.checks.judgement import Judgement, failed, info
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

CPU_ROWS = "Use a machine with an NVIDIA GPU, or say --device cpu to run the CPU rows."
LOADED = ("driver.loaded", "driver.whole")
CPU_ROWS_ONLY = "no GPU: CPU rows only"


def has_gpu(facts: Facts) -> bool:
    """Whether any source shows an NVIDIA card: PCI, NVML or WSL2's device.

    Raises:
        Unread: no source could be read.
    """
    if _listed(facts) or _wsl(facts):
        return True
    return bool(facts.each("system.pci_gpus"))


def no_gpu(facts: Facts, wanted: Wanted) -> Judgement:
    """The judgement where no card is there: fine unless one was asked for."""
    del facts
    if wanted.wants_gpu:
        why = "No NVIDIA GPU was found, and one was asked for."
        return failed("no NVIDIA GPU", "an NVIDIA GPU", why, CPU_ROWS)
    return info("no NVIDIA GPU", "none needed", CPU_ROWS_ONLY)


def describe(devices: list[Facts]) -> str:
    """Names with counts: ``2 x NVIDIA H200``."""
    names = [device.maybe_text("name") or "unnamed GPU" for device in devices]
    return ", ".join(
        f"{names.count(name)} x {name}" if names.count(name) > 1 else name
        for name in dict.fromkeys(names)
    )


def _listed(facts: Facts) -> bool:
    try:
        return bool(facts.each("nvidia.devices"))
    except Unread:
        return False


def _wsl(facts: Facts) -> bool:
    try:
        return facts.flag("system.wsl_gpu")
    except Unread:
        return False
