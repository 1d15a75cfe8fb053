"""A CUDA device's queue: events on the current stream."""

from __future__ import annotations

import ctypes
from typing import Any

_L2_CACHE_SIZE = 38  # CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE of the CUDA driver API
_UNKNOWN_L2_BYTES = 128 * 1024 * 1024
_PROBE_CYCLES = 10_000_000


class CudaQueue:
    """The current stream of the current CUDA device."""

    asynchronous = True

    def __init__(self) -> None:
        import torch

        self._torch = torch
        self.l2_bytes = l2_bytes() or _UNKNOWN_L2_BYTES
        self._scratch = torch.empty(2 * self.l2_bytes, dtype=torch.int8, device="cuda")
        self._cycles_per_s = self._calibrate()

    def mark(self) -> Any:
        """An event recorded on the current stream."""
        event = self._torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def elapsed_s(self, start: Any, end: Any) -> float:
        """Seconds of device time between two events that have completed."""
        return float(start.elapsed_time(end)) / 1e3

    def wait(self) -> None:
        """Synchronise the device."""
        self._torch.cuda.synchronize()

    def occupy(self, seconds: float) -> None:
        """Spin on the device for about that long."""
        self._torch.cuda._sleep(int(seconds * self._cycles_per_s))  # noqa: SLF001 - has no public name

    def flush(self) -> None:
        """Overwrite twice the L2 cache."""
        self._scratch.zero_()

    def peak_bytes(self) -> int:
        """Most memory that torch's allocator has handed out, the flush buffer left out."""
        return int(self._torch.cuda.max_memory_allocated() - self._scratch.numel())

    def _calibrate(self) -> float:
        """Spin cycles per second, read after a spin that wakes the clocks."""
        self._torch.cuda._sleep(_PROBE_CYCLES)  # noqa: SLF001 - has no public name
        start = self.mark()
        self._torch.cuda._sleep(_PROBE_CYCLES)  # noqa: SLF001 - has no public name
        end = self.mark()
        self.wait()
        return _PROBE_CYCLES / self.elapsed_s(start, end)


def l2_bytes() -> int:
    """Bytes of L2 cache of the current CUDA device; 0 where the driver does not tell."""
    import torch

    value = ctypes.c_int(0)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        code = driver.cuDeviceGetAttribute(
            ctypes.byref(value), _L2_CACHE_SIZE, torch.cuda.current_device()
        )
    except (OSError, AttributeError):
        return 0
    return int(value.value) if code == 0 else 0
