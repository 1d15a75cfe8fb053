"""The core loop: warm up, calibrate, sample until settled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import Any, Optional

from core.status import Flag
from workloads.measure.block import Block, Call, time_block, time_cold
from workloads.measure.clock import Clock
from workloads.measure.queue import Queue
from workloads.measure.rules import Rules
from workloads.measure.stop import Stop, decide, noise

_LAUNCH_PROBE_CALLS = 20
_STEP_PROBES = 3
_FILL_MARGIN = 1.5
_MAX_FILL_S = 1.0
_COLD_BATCH = 20
_GAP = 0.9


@dataclass(frozen=True)
class WarmUp:
    """How warming up went; ``per_call_s`` is the last group's median."""

    calls: int
    seconds: float
    agreed: bool
    per_call_s: float


@dataclass(frozen=True)
class Measured:
    """Samples in seconds per call: device time on CUDA, wall time on a CPU.

    ``metrics`` holds what stands beside them, ``flags`` what must be known to read them.
    """

    samples_s: tuple[float, ...]
    calls_per_sample: int
    metrics: dict[str, Any]
    flags: tuple[str, ...]

    @property
    def median_s(self) -> float:
        """Median seconds per call."""
        return median(self.samples_s)


def measure(
    queue: Queue, clock: Clock, call: Call, rules: Rules, calls: Optional[int] = None
) -> Measured:
    """Measure a call that has been made at least once before.

    ``calls`` freezes the calls per block; None calibrates them.
    """
    warm = warm_up(queue, clock, call, rules)
    per_block = calls or calibrate(warm.per_call_s, rules)
    host_s = _host_s_per_call(queue, clock, call) if rules.filled else 0.0
    fill_s = min(host_s * per_block * _FILL_MARGIN, _MAX_FILL_S)
    blocks, stop = _sample(queue, clock, call, per_block, fill_s, rules)
    samples = tuple(block.per_call_s for block in blocks)
    metrics = {
        **_warm_metrics(warm),
        **_block_metrics(blocks),
        "noise": noise(samples),
        "stop": stop.value,
    }
    if rules.filled:
        metrics.update(_cold(queue, call, host_s, rules), host_s_per_call=host_s)
    else:
        metrics["wall_s_per_call"] = median(block.wall_s / block.calls for block in blocks)
    if queue.asynchronous and not rules.filled:
        issue_s = median(block.host_s for block in blocks) / per_block
        metrics["host_s_per_call"] = issue_s
        metrics["filled_s_per_call"] = _filled_s(queue, clock, call, issue_s)
    return Measured(samples, per_block, metrics, _flags(median(samples), metrics, stop))


def warm_up(queue: Queue, clock: Clock, call: Call, rules: Rules) -> WarmUp:
    """Call until two successive groups' medians agree, within the rules' bounds."""
    begin = clock.wall()
    calls, previous, agreed = 0, math.inf, False
    while True:
        group: list[float] = []
        while len(group) < rules.warmup_group:
            group.append(time_block(queue, clock, call, 1).per_call_s)
            if clock.wall() - begin >= rules.warmup_cap_s:
                break
        calls += len(group)
        current, spent = median(group), clock.wall() - begin
        agreed = abs(current - previous) <= rules.warmup_agree * current
        if spent >= rules.warmup_cap_s:
            return WarmUp(calls, spent, agreed, current)
        if agreed and calls >= rules.warmup_calls and spent >= rules.warmup_s:
            return WarmUp(calls, spent, agreed, current)
        previous = current


def calibrate(per_call_s: float, rules: Rules) -> int:
    """Calls per block so that a block lasts ``rules.block_s``; at least 1."""
    if per_call_s <= 0:
        return rules.max_calls if rules.block_s else 1
    return max(1, min(rules.max_calls, math.ceil(rules.block_s / per_call_s)))


def replay(queue: Queue, clock: Clock, call: Call, warmups: int, calls: int) -> float:
    """Total seconds of ``calls`` calls after ``warmups``, the way the articles time them."""
    for _ in range(warmups):
        call()
    return time_block(queue, clock, call, calls).device_s


def _sample(
    queue: Queue, clock: Clock, call: Call, calls: int, fill_s: float, rules: Rules
) -> tuple[list[Block], Stop]:
    blocks: list[Block] = []
    begin = clock.wall()
    while True:
        blocks.append(time_block(queue, clock, call, calls, fill_s))
        samples = [block.per_call_s for block in blocks]
        stop = decide(samples, clock.wall() - begin, rules)
        if stop is not Stop.GO_ON:
            return blocks, stop


def _host_s_per_call(queue: Queue, clock: Clock, call: Call) -> float:
    """Seconds the host needs to issue one call while the queue has room."""
    return time_block(queue, clock, call, _LAUNCH_PROBE_CALLS).host_s / _LAUNCH_PROBE_CALLS


def _filled_s(queue: Queue, clock: Clock, call: Call, host_s: float) -> float:
    """Device seconds of a call whose launches were queued ahead: without the host's gaps."""
    fill_s = min(host_s * _FILL_MARGIN, _MAX_FILL_S)
    probes = [time_block(queue, clock, call, 1, fill_s).per_call_s for _ in range(_STEP_PROBES)]
    return median(probes)


def _cold(queue: Queue, call: Call, host_s: float, rules: Rules) -> dict[str, Any]:
    cold: list[float] = []
    while len(cold) < rules.cold_samples:
        batch = min(_COLD_BATCH, rules.cold_samples - len(cold))
        cold += time_cold(queue, call, batch, min(host_s * batch * 2, _MAX_FILL_S))
    return {"cold_median_s": median(cold), "cold_samples_s": cold} if cold else {}


def _warm_metrics(warm: WarmUp) -> dict[str, Any]:
    return {
        "warmup_calls": warm.calls,
        "warmup_s": warm.seconds,
        "warmup_agreed": warm.agreed,
    }


def _block_metrics(blocks: list[Block]) -> dict[str, Any]:
    return {"process_s_per_call": median(block.process_s / block.calls for block in blocks)}


def _flags(median_s: float, metrics: dict[str, Any], stop: Stop) -> tuple[str, ...]:
    """``noisy`` at the cap; ``launch-bound`` where the host is the slower of the two."""
    flags = []
    if stop is Stop.CAP:
        flags.append(Flag.NOISY.value)
    if "filled_s_per_call" in metrics:
        launch_bound = metrics["filled_s_per_call"] < _GAP * median_s
    else:
        launch_bound = metrics.get("host_s_per_call", 0.0) > median_s
    if launch_bound:
        flags.append(Flag.LAUNCH_BOUND.value)
    return tuple(flags)
