"""Where work is queued: the marks between which a device's time is read."""

from __future__ import annotations

from typing import Any, Protocol

from workloads.measure.clock import Clock


class Queue(Protocol):
    """A device's work queue.

    Work that is called runs in order but perhaps later; only ``wait`` guarantees it has ended.
    """

    asynchronous: bool

    def mark(self) -> Any:
        """Queue a point in time."""
        ...

    def elapsed_s(self, start: Any, end: Any) -> float:
        """Seconds of device time between two marks that have passed."""
        ...

    def wait(self) -> None:
        """Return when all queued work has ended."""
        ...

    def occupy(self, seconds: float) -> None:
        """Queue about that much idle spinning, so that the host can run ahead of the device."""
        ...

    def flush(self) -> None:
        """Queue a write over twice the last-level cache, so that the next call starts cold."""
        ...

    def peak_bytes(self) -> int:
        """Most device memory allocated so far, in bytes."""
        ...


class HostQueue:
    """The CPU: a call has ended when it returns, so marks are readings of the wall clock."""

    asynchronous = False

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def mark(self) -> float:
        """The wall clock now."""
        return self._clock.wall()

    def elapsed_s(self, start: float, end: float) -> float:
        """Wall-clock seconds between two marks."""
        return end - start

    def wait(self) -> None:
        """Nothing is ever outstanding."""

    def occupy(self, seconds: float) -> None:
        """The host cannot run ahead of itself."""

    def flush(self) -> None:
        """CPU samples are hot: inputs stay where the caches keep them."""

    def peak_bytes(self) -> int:
        """Most resident memory of this process so far, in bytes."""
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
