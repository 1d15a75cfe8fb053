"""The burn-in: products of several kinds in turn, every one compared, until the time is over."""

from __future__ import annotations

import time
from typing import Any, Callable, Mapping, Sequence

from envcheck.active import plan
from envcheck.active.accelerator import Accelerator
from envcheck.active.matrix import Injection, Products

BLOCK_S = 1.0
SEEN = ("sm_mhz", "temperature_c", "power_w")


class BurnIn:
    """One device under load; ``to_dict`` holds what was seen so far at any time.

    ``look`` gives the sensors' newest sample, or nothing where there are none.
    """

    def __init__(
        self,
        unit: Accelerator,
        products: Sequence[Products],
        asked_s: float,
        least_interval_s: float,
        injection: Injection,
        look: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._unit = unit
        self._products = products
        self._asked_s = asked_s
        self._interval_s = plan.interval_s(asked_s, least_interval_s)
        self._injection = injection
        self._look = look
        self._intervals: list[dict[str, Any]] = []
        self._count = 0
        self._first_wrong: dict[str, Any] = {}
        self._begin = time.monotonic()

    def run(
        self,
        stopped: Callable[[], bool],
        tell: Callable[[], None],
        alive: Callable[[], None] = lambda: None,
    ) -> dict[str, Any]:
        """Work until the time is over or ``stopped``.

        ``tell`` is called after every interval, ``alive`` after every block of about a second.
        """
        times = {item.mode: self._calibrated(item) for item in self._products}
        self._begin = time.monotonic()
        while self.elapsed_s() < self._asked_s and not stopped():
            self._interval(times, stopped, alive)
            tell()
        return self.to_dict()

    def elapsed_s(self) -> float:
        """Seconds under load so far."""
        return time.monotonic() - self._begin

    def to_dict(self) -> dict[str, Any]:
        """Seconds asked for and done, products, wrong elements, and every interval."""
        return {
            "asked_s": self._asked_s,
            "ran_s": round(self.elapsed_s(), 1),
            "interval_s": self._interval_s,
            "products": self._count,
            "wrong": self._wrong(),
            **self._first_wrong,
            "intervals": list(self._intervals),
        }

    def _calibrated(self, item: Products) -> int:
        self._unit.seconds(item.multiply_and_compare, 2)
        self._count += 5
        each = self._unit.seconds(item.multiply_and_compare, 3) / 3
        return plan.repetitions(each, min(BLOCK_S, self._share_s()))

    def _share_s(self) -> float:
        return self._interval_s / len(self._products)

    def _interval(
        self,
        times: Mapping[str, int],
        stopped: Callable[[], bool],
        alive: Callable[[], None],
    ) -> None:
        before = self._wrong()
        tflops: dict[str, float] = {}
        for item in self._products:
            if stopped() and self._intervals:
                break
            tflops[item.mode] = self._turn(item, times[item.mode], stopped, alive)
        sample = self._look()
        seen = {name: sample[name] for name in SEEN if sample.get(name) is not None}
        wrong = self._wrong() - before
        self._intervals.append(
            {"t_s": round(self.elapsed_s(), 1), "tflops": tflops, "wrong": wrong, **seen}
        )

    def _turn(
        self, item: Products, times: int, stopped: Callable[[], bool], alive: Callable[[], None]
    ) -> float:
        """One mode's share of an interval, in blocks; its TFLOP/s."""
        done, seconds, last = 0, 0.0, 0.0
        while seconds + last / 2 < self._share_s() and not (done and stopped()):
            last = self._block(item, times)
            done, seconds = done + times, seconds + last
            self._count += times
            self._note_first(item)
            alive()
        return round(item.flop * done / seconds / 1e12, 3)

    def _block(self, item: Products, times: int) -> float:
        injection = self._due_injection()
        return self._unit.seconds(lambda: item.multiply_and_compare(injection), times)

    def _wrong(self) -> int:
        return sum(item.wrong() for item in self._products)

    def _due_injection(self) -> Injection:
        """The injection once half of the time is over."""
        due = self.elapsed_s() >= self._asked_s / 2
        return self._injection if due else Injection("none")

    def _note_first(self, item: Products) -> None:
        if not self._first_wrong and item.wrong():
            found = {"first_wrong_s": round(self.elapsed_s(), 1), "first_wrong_mode": item.mode}
            self._first_wrong = found
