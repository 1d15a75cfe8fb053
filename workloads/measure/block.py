"""Timed blocks: a number of calls between two marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from workloads.measure.clock import Clock
from workloads.measure.queue import Queue

Call = Callable[[], Any]


@dataclass(frozen=True)
class Block:
    """Totals, in seconds, of ``calls`` calls.

    ``device_s`` lies between the marks; ``host_s`` is what the host needed to issue the calls;
    ``wall_s`` runs until the work had ended; ``process_s`` is processor time over all threads.
    """

    calls: int
    device_s: float
    host_s: float
    wall_s: float
    process_s: float

    @property
    def per_call_s(self) -> float:
        """Device seconds of one call."""
        return self.device_s / self.calls


def time_block(queue: Queue, clock: Clock, call: Call, calls: int, fill_s: float = 0.0) -> Block:
    """Time ``calls`` calls between two marks.

    With ``fill_s`` the queue is kept busy that long first, so that gaps between calls on the
    host do not show on the device; ``wall_s`` then includes the filling.
    """
    queue.wait()
    process_start, wall_start = clock.process(), clock.wall()
    if fill_s:
        queue.occupy(fill_s)
    start = queue.mark()
    issue_start = clock.wall()
    for _ in range(calls):
        call()
    issue_end = clock.wall()
    end = queue.mark()
    queue.wait()
    wall_s, process_s = clock.wall() - wall_start, clock.process() - process_start
    return Block(calls, queue.elapsed_s(start, end), issue_end - issue_start, wall_s, process_s)


def time_cold(queue: Queue, call: Call, samples: int, fill_s: float) -> list[float]:
    """Device seconds of single calls, the cache flushed before each."""
    queue.wait()
    queue.occupy(fill_s)
    marks = []
    for _ in range(samples):
        queue.flush()
        start = queue.mark()
        call()
        marks.append((start, queue.mark()))
    queue.wait()
    return [queue.elapsed_s(start, end) for start, end in marks]
