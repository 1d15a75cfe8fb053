"""A device as the active checks use it: a GPU through CUDA, or the CPU."""

from __future__ import annotations

import gc
import os
import time
from typing import Any, Callable

from envcheck.active import plan


class Accelerator:
    """One device of torch. ``kind`` is cuda or cpu, ``ordinal`` torch's number of it."""

    def __init__(self, torch: Any, kind: str, ordinal: int = 0) -> None:
        self.torch = torch
        self.kind = kind
        self.ordinal = ordinal
        self.device = torch.device("cuda", ordinal) if kind == "cuda" else torch.device("cpu")

    def identity(self) -> dict[str, Any]:
        """Name, capability, number of multiprocessors, bytes of memory."""
        if self.kind == "cpu":
            return {"name": f"CPU with {self.torch.get_num_threads()} threads", "index": 0}
        found = self.torch.cuda.get_device_properties(self.ordinal)
        return {
            "name": found.name,
            "index": self.ordinal,
            "ordinal": self.ordinal,
            "compute_capability": f"{found.major}.{found.minor}",
            "multiprocessors": found.multi_processor_count,
            "memory_bytes": found.total_memory,
        }

    def capability(self) -> tuple[int, int]:
        """Compute capability; (0, 0) for a CPU."""
        if self.kind == "cpu":
            return (0, 0)
        major, minor = self.torch.cuda.get_device_capability(self.ordinal)
        return int(major), int(minor)

    def memory(self) -> tuple[int, int]:
        """Free and total bytes, nothing held back."""
        if self.kind == "cpu":
            page = os.sysconf("SC_PAGE_SIZE")
            return os.sysconf("SC_AVPHYS_PAGES") * page, os.sysconf("SC_PHYS_PAGES") * page
        self.release()
        free, total = self.torch.cuda.mem_get_info(self.ordinal)
        return int(free), int(total)

    def release(self) -> None:
        """Give back what torch keeps in reserve."""
        if self.kind == "cuda":
            gc.collect()
            with self.torch.cuda.device(self.ordinal):
                self.torch.cuda.empty_cache()

    def synchronize(self) -> None:
        """Wait until the device has done all that it was given."""
        if self.kind == "cuda":
            self.torch.cuda.synchronize(self.ordinal)

    def seconds(self, work: Callable[[], Any], times: int) -> float:
        """Wall time of ``times`` calls, the device idle before and after."""
        self.synchronize()
        begin = time.perf_counter()
        for _ in range(times):
            work()
        self.synchronize()
        return time.perf_counter() - begin

    def rate(self, work: Callable[[], Any], block_s: float) -> tuple[int, float]:
        """Calls and seconds of one block of about ``block_s``, after a warm-up."""
        self.seconds(work, 1)
        each = self.seconds(work, 2) / 2
        times = plan.repetitions(each, block_s)
        return times, self.seconds(work, times)


def set_precision(torch: Any, *, tf32: bool) -> None:
    """TF32 on or off for products; no shortened sums in half precision.

    Newer torch has ``fp32_precision`` and warns when the older flag is set beside it.
    """
    matmul = torch.backends.cuda.matmul
    if _has(matmul, "fp32_precision"):
        matmul.fp32_precision = "tf32" if tf32 else "ieee"
    else:
        matmul.allow_tf32 = tf32
    for name in (
        "allow_fp16_reduced_precision_reduction",
        "allow_bf16_reduced_precision_reduction",
        "allow_fp16_accumulation",
    ):
        if _has(matmul, name):
            setattr(matmul, name, False)


def _has(owner: Any, name: str) -> bool:
    try:
        getattr(owner, name)
    except (AttributeError, AssertionError):  # older torch answers a wrong name with the latter
        return False
    return True
