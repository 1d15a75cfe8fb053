"""Doubles for the measuring protocol: a clock that moves when told, a device that lags behind."""

from __future__ import annotations

from typing import Callable, Iterable

from workloads.measure.rules import Rules

RULES = Rules(
    warmup_s=0.0,
    warmup_cap_s=50.0,
    warmup_calls=2,
    warmup_group=2,
    warmup_agree=0.02,
    block_s=0.0,
    min_samples=10,
    min_s=0.0,
    max_s=100.0,
    noise=0.01,
)


class FakeClock:
    """Wall and processor time that move only through ``advance``."""

    def __init__(self) -> None:
        self.now = 0.0

    def wall(self) -> float:
        """The time told so far."""
        return self.now

    def process(self) -> float:
        """As the wall clock: one busy thread."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class FakeDevice:
    """A queue whose work takes device time and ends only on ``wait``; launching takes host time."""

    asynchronous = True

    def __init__(self, clock: FakeClock, launch_s: float = 0.0) -> None:
        self.clock, self.launch_s = clock, launch_s
        self.device_now = 0.0
        self.flushed = 0

    def work(self, seconds: float) -> None:
        """Launch work of that length."""
        self.clock.advance(self.launch_s)
        self.device_now = max(self.device_now, self.clock.now) + seconds

    def mark(self) -> float:
        """When the work queued so far will have ended."""
        self.device_now = max(self.device_now, self.clock.now)
        return self.device_now

    def elapsed_s(self, start: float, end: float) -> float:
        """Refuses to tell before a wait, as real events do."""
        assert self.clock.now >= end, "read before the work had ended"
        return end - start

    def wait(self) -> None:
        """Let time pass until the work has ended."""
        self.clock.now = max(self.clock.now, self.device_now)

    def occupy(self, seconds: float) -> None:
        """Queue idle spinning."""
        self.device_now = max(self.device_now, self.clock.now) + seconds

    def flush(self) -> None:
        """Count flushes."""
        self.flushed += 1

    def peak_bytes(self) -> int:
        """A fake holds no memory."""
        return 0


def taking(clock: FakeClock, seconds: Iterable[float], then: float) -> Callable[[], None]:
    """A call on the host that takes the listed times, then always ``then``."""
    times = iter(seconds)
    return lambda: clock.advance(next(times, then))
