"""What the active checks will do, decided from plain numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Mapping

INJECTIONS = ("none", "bit-flip")
GIB = 1024**3
SHORT_S = 10.0
BURN_IN_INTERVALS = 300
MEMORY_MARGIN_BYTES = 3 * GIB // 2
MEMORY_MARGIN_FRACTION = 0.03
BURN_IN_MODES = ("fp32", "bf16", "fp16")


@dataclass(frozen=True)
class Plan:
    """What was asked for. ``device`` is auto, cpu or cuda; ``burn_in_s`` 0 means the short run."""

    device: str = "auto"
    burn_in_s: float = 0.0
    inject: str = "none"
    identify: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the process that carries it out."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """Read back what ``to_dict`` gave."""
        return cls(**data)


@dataclass(frozen=True)
class Sizes:
    """How large one device's work is; times are seconds, sizes bytes.

    ``matrix`` is the edge of the square products. A block is what is timed at once.
    """

    matrix: int
    block_s: float
    interval_s: float
    chunk_bytes: int
    memory_limit_bytes: int
    copy_bytes: int


CPU = Sizes(512, 0.1, 0.3, 32 * 1024**2, 128 * 1024**2, 0)
GPU = Sizes(8192, 0.3, 2.0, GIB, 1 << 62, GIB)
SMALL_GPU = Sizes(4096, 0.3, 2.0, GIB // 4, 1 << 62, GIB // 4)


def sizes(device: str, free_bytes: int) -> Sizes:
    """Sizes that fit the free memory of a device."""
    if device == "cpu":
        return CPU
    return GPU if free_bytes >= 8 * GIB else SMALL_GPU


def modes(device: str, capability: tuple[int, int]) -> tuple[str, ...]:
    """Kinds of product that a device computes in hardware."""
    if device == "cpu" or capability < (7, 0):
        return ("fp32",)
    return ("fp32", "fp16") if capability < (8, 0) else ("fp32", "tf32", "bf16", "fp16")


def memory_bytes(device: str, free_bytes: int, total_bytes: int, limit_bytes: int) -> int:
    """How much memory is tested: a GPU's that is free less a margin, a CPU's at most half."""
    if device == "cpu":
        return min(free_bytes // 2, limit_bytes)
    margin = max(MEMORY_MARGIN_BYTES, int(MEMORY_MARGIN_FRACTION * total_bytes))
    return max(0, min(free_bytes - margin, limit_bytes))


def interval_s(burn_in_s: float, least_s: float) -> float:
    """Length of one interval of a burn-in, so that a long one has no more than 300 of them."""
    return max(least_s, burn_in_s / BURN_IN_INTERVALS)


def repetitions(seconds_each: float, block_s: float) -> int:
    """How many calls fill a block of ``block_s``."""
    return max(1, round(block_s / seconds_each)) if seconds_each > 0 else 1


def announcement(plan: Plan, devices: int) -> str:
    """What is about to happen and about how long it takes."""
    unit = "device" if devices == 1 else "devices"
    text = f"active checks on {devices} {unit}: about {SHORT_S * devices:.0f} s"
    if plan.burn_in_s:
        text += f", then a burn-in of {plan.burn_in_s:.0f} s (Ctrl-C ends it early)"
    return text
