"""A thread that reads a card about ten times a second while it works."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Mapping, Optional

from envcheck.active.timeline import Timeline

PERIOD_S = 0.1
PERIOD_AFTER_FAILURE_S = 1.0


class Sampler:
    """Fills a time line from ``read`` until it is stopped.

    ``phase`` says what the card is doing. Whatever ``read`` raises is noted and reading goes on,
    more slowly: losing the sensors never loses the result.
    """

    def __init__(
        self,
        read: Callable[[], Mapping[str, Any]],
        *,
        timeline: Optional[Timeline] = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.phase = "prepare"
        self.last: Mapping[str, Any] = {}
        self._read = read
        self._timeline = timeline or Timeline()
        self._clock = clock
        self._begin = clock()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="sampler", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """End; waits a little for a reading that hangs, then leaves it behind."""
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=5.0)

    def tick(self) -> bool:
        """One reading; False where it failed."""
        phase = self.phase
        try:
            sample = self._read()
        except Exception as error:  # noqa: BLE001 - sensors may fail in any way
            with self._lock:
                self._timeline.failed(self._clock() - self._begin, f"{error}")
            return False
        self.last = sample
        with self._lock:
            self._timeline.add(self._clock() - self._begin, phase, sample)
        return True

    def to_dict(self) -> dict[str, Any]:
        """What was seen so far."""
        with self._lock:
            return self._timeline.to_dict()

    def _loop(self) -> None:
        wait_s = PERIOD_S
        while not self._ended.wait(wait_s):
            wait_s = PERIOD_S if self.tick() else PERIOD_AFTER_FAILURE_S
