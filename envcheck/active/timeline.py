"""What a sampler saw, in bounded space: a time line and a summary of every phase."""

from __future__ import annotations

from collections import Counter
from typing import Any, Mapping, Optional

LIMIT = 1200
GAUGES = (
    "sm_mhz",
    "memory_mhz",
    "power_w",
    "temperature_c",
    "utilisation_percent",
    "memory_used_mib",
    "pcie_generation",
    "pcie_width",
)
RESTING = ("idle", "prepare")

Sample = Mapping[str, Any]


class Timeline:
    """Collects samples.

    A sample holds the gauges (None where a card has none) and ``throttle``, a list of reasons.
    Beyond ``limit`` rows two neighbours become one: gauges are averaged, reasons joined. The
    summary of a phase counts every sample, whatever became of its row.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._stride = 1
        self._bucket: list[dict[str, Any]] = []
        self._rows: list[dict[str, Any]] = []
        self._phases: dict[str, _Phase] = {}
        self._failures: list[dict[str, Any]] = []
        self._failed = 0
        self._last_t: Optional[float] = None

    def add(self, t_s: float, phase: str, sample: Sample) -> None:
        """One sample at ``t_s`` seconds."""
        self._phases.setdefault(phase, _Phase()).add(sample)
        self._last_t = t_s
        self._bucket.append({"t_s": round(t_s, 2), "phase": phase, **sample})
        if len(self._bucket) >= self._stride:
            self._rows.append(_merged(self._bucket))
            self._bucket = []
        if len(self._rows) >= self._limit:
            self._halve()

    def failed(self, t_s: float, why: str) -> None:
        """Nothing could be read at ``t_s``; only the first reason is kept."""
        self._failed += 1
        if not self._failures:
            self._failures.append({"t_s": round(t_s, 2), "why": why})

    def to_dict(self) -> dict[str, Any]:
        """The ``telemetry`` facts: counts, phases, and the time line by column."""
        rows = [*self._rows, *([_merged(self._bucket)] if self._bucket else [])]
        first = {"first_failure": self._failures[0]} if self._failures else {}
        return {
            "source": "nvml",
            "samples": sum(phase.samples for phase in self._phases.values()),
            "failures": self._failed,
            **first,
            "last_sample_s": self._last_t if self._last_t is None else round(self._last_t, 2),
            "samples_per_row": self._stride,
            "phases": [phase.to_dict(name) for name, phase in self._phases.items()],
            "timeline": {
                name: [row.get(name) for row in rows]
                for name in ("t_s", "phase", *GAUGES, "throttle")
            },
        }

    def _halve(self) -> None:
        pairs = zip(self._rows[::2], self._rows[1::2])
        odd = self._rows[-1:] if len(self._rows) % 2 else []
        self._rows = [_merged(list(pair)) for pair in pairs] + odd
        self._stride *= 2


class _Phase:
    """Counts of one phase: every sample of it, in a space that does not grow with time."""

    def __init__(self) -> None:
        self.samples = 0
        self._seen: dict[str, Counter[float]] = {name: Counter() for name in GAUGES}
        self._throttle: Counter[str] = Counter()

    def add(self, sample: Sample) -> None:
        self.samples += 1
        self._throttle.update(sample.get("throttle") or [])
        for name in GAUGES:
            value = sample.get(name)
            if value is not None:
                self._seen[name][round(value)] += 1

    def to_dict(self, name: str) -> dict[str, Any]:
        """Median and highest of every gauge that was read, samples of each throttle reason."""
        found: dict[str, Any] = {"phase": name, "samples": self.samples}
        for gauge, seen in self._seen.items():
            if seen:
                found[f"{gauge}_median"] = _median(seen)
                found[f"{gauge}_max"] = max(seen)
        found["throttle"] = dict(sorted(self._throttle.items()))
        return found


def _median(seen: Counter[float]) -> float:
    place, half = 0, sum(seen.values()) / 2
    for value in sorted(seen):
        place += seen[value]
        if place >= half:
            return value
    return max(seen)


def _merged(rows: list[dict[str, Any]]) -> dict[str, Any]:
    if len(rows) == 1:
        return rows[0]
    merged: dict[str, Any] = {"t_s": rows[0]["t_s"], "phase": rows[0]["phase"]}
    for name in GAUGES:
        values = [row[name] for row in rows if row.get(name) is not None]
        merged[name] = round(sum(values) / len(values), 1) if values else None
    merged["throttle"] = sorted({reason for row in rows for reason in row.get("throttle") or []})
    return merged
