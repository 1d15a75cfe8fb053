"""The host's clocks."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Where the harness reads time on the host, in seconds."""

    def wall(self) -> float:
        """A monotonic clock."""
        ...

    def process(self) -> float:
        """Processor time of this process, all threads together."""
        ...


class SystemClock:
    """The real clocks of this machine."""

    def wall(self) -> float:
        """Seconds of the highest-resolution monotonic clock."""
        return time.perf_counter()

    def process(self) -> float:
        """User and system seconds of this process."""
        return time.process_time()
