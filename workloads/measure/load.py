"""How much of the processors others used while a trial was measured."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from workloads.measure.clock import Clock

BUSY_SHARE = 0.1
_IDLE_COLUMNS = (3, 4)  # idle, iowait
_GUEST_FROM = 8  # guest times are counted in user and nice already


@dataclass(frozen=True)
class Load:
    """One reading, in seconds: the wall clock, this process, and all processors' busy time."""

    wall_s: float
    process_s: float
    busy_s: Optional[float]


def read_load(clock: Clock, stat: Path = Path("/proc/stat")) -> Load:
    """Read the clocks; the busy time is None where the system does not tell."""
    try:
        text = stat.read_text(encoding="ascii")
        busy_s: Optional[float] = busy_seconds(text, os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError):
        busy_s = None
    return Load(clock.wall(), clock.process(), busy_s)


def busy_seconds(text: str, ticks_per_s: int) -> float:
    """Time all processors together were not idle, stolen time included.

    Raises:
        ValueError: the text does not begin with the kernel's ``cpu`` line.
    """
    name, *columns = text.splitlines()[0].split() if text else ["", ""]
    if name != "cpu":
        raise ValueError("no cpu line")
    ticks = [int(column) for column in columns[:_GUEST_FROM]]
    idle = sum(ticks[column] for column in _IDLE_COLUMNS)
    return (sum(ticks) - idle) / ticks_per_s


def others_share(before: Load, after: Load, processors: int) -> Optional[float]:
    """Share of all processors, 0 to 1, that other processes kept busy between two readings."""
    wall_s = after.wall_s - before.wall_s
    if before.busy_s is None or after.busy_s is None or wall_s <= 0:
        return None
    others_s = (after.busy_s - before.busy_s) - (after.process_s - before.process_s)
    return min(1.0, max(0.0, others_s / (wall_s * processors)))
