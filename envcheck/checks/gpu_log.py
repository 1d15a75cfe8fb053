"""What the NVIDIA driver complained of in the kernel log."""

from __future__ import annotations

from envcheck.checks.gpus import CPU_ROWS_ONLY, has_gpu
from envcheck.checks.judgement import Judgement, failed, info, passed, skipped, warned
from envcheck.checks.registry import HOST, check
from envcheck.checks.system import is_wsl
from envcheck.reading import Facts
from envcheck.wanted import Wanted

SOURCE = "https://docs.nvidia.com/deploy/xid-errors/"
# What NVIDIA's list of Xid messages says these codes are
HARDWARE = {
    48: "double-bit ECC error",
    64: "a memory row could not be remapped",
    74: "NVLink error",
    79: "the GPU fell off the bus",
    95: "uncontained ECC error",
    119: "the GPU's system processor timed out",
    120: "the GPU's system processor failed",
}
PROGRAM = {
    13: "exception in a program's kernel",
    31: "a program's memory page fault",
    43: "a program's channel was reset",
    45: "a program's work was cleaned up",
}
EXAMINE = (
    "Check the card's power cables, seating and temperature, and reboot; where it comes again, "
    "take the card out of service."
)
READ_LOG = "Read the lines (`journalctl -k | grep -i xid`) and look their codes up: " + SOURCE


@check(
    "gpu.xid",
    title="Xid events in the kernel log",
    scope=HOST,
    looks_at="the kernel log of this boot, as far back as it reaches",
    why="The driver writes down when a card fell off the bus or its memory broke.",
    needs=("system.xids",),
    remedies=(EXAMINE, READ_LOG),
    source=SOURCE,
)
def xid(facts: Facts, wanted: Wanted) -> Judgement:
    """None; a broken card fails, a program's own fault is information, the rest warns."""
    del wanted
    if is_wsl(facts):
        return skipped("WSL2: the kernel log does not show the Windows driver's events")
    if not has_gpu(facts):
        return skipped(CPU_ROWS_ONLY)
    events = facts.each("system.xids")
    counts = {event.count("code"): 0 for event in events}
    for event in events:
        counts[event.count("code")] += event.count("count")
    if not counts:
        return passed("none", "none")
    return _judged(counts)


def _judged(counts: dict[int, int]) -> Judgement:
    measured = ", ".join(f"Xid {code} x {count}" for code, count in sorted(counts.items()))
    broken = [code for code in sorted(counts) if code in HARDWARE]
    others = [code for code in sorted(counts) if code not in HARDWARE and code not in PROGRAM]
    if broken:
        return failed(measured, "none", _told(broken, HARDWARE), EXAMINE)
    if others:
        why = f"Xid {', '.join(map(str, others))} can be the card, the driver or a program."
        return warned(measured, "none", why, READ_LOG)
    return info(measured, "none", f"{_told(sorted(counts), PROGRAM)} That is rarely the card.")


def _told(codes: list[int], meanings: dict[int, str]) -> str:
    return "; ".join(f"Xid {code}: {meanings[code]}" for code in codes) + "."
