"""One trial of one cell: prepare, check, measure; every outcome becomes a typed result."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence

from core.hashing import tree_hash
from core.records import OutputCheck, TrialResult
from core.status import Flag, TrialStatus
from workloads import checks, identity, inputs, settings
from workloads.base import Obstacle, Prepared, Request, Workload
from workloads.failures import classify
from workloads.features import device_obstacle
from workloads.measure.block import time_block
from workloads.measure.clock import Clock, SystemClock
from workloads.measure.load import BUSY_SHARE, others_share, read_load
from workloads.measure.loop import Measured, measure, replay
from workloads.measure.queue import HostQueue, Queue
from workloads.measure.rules import rules_for

CODE_FOLDERS = ("core", "kernels", "workloads")
_CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")


class OutputWrong(Exception):
    """A workload's output did not pass its check."""


@dataclass
class Evidence:
    """What a trial has found so far; kept when it then fails."""

    settings: dict[str, Any] = field(default_factory=dict)
    identity: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    check: Optional[OutputCheck] = None


def run(workload: Workload, request: Request, clock: Optional[Clock] = None) -> TrialResult:
    """Try one cell; never raises for what the workload does."""
    clock = clock or SystemClock()
    started_at = datetime.now(timezone.utc).isoformat(timespec="seconds")
    begin, evidence = clock.wall(), Evidence()
    with private_caches():
        outcome = _outcome(workload, request, clock, evidence)
    return TrialResult(
        **outcome,
        workload=request.workload,
        variant=request.variant,
        device=request.device,
        preset=request.preset,
        environment=str(evidence.identity.get("environment", "")),
        settings=evidence.settings,
        identity=evidence.identity,
        metrics=_finite(evidence.metrics),
        check=evidence.check,
        code_hash=code_hash(),
        seed=request.seed,
        started_at=started_at,
        elapsed_s=clock.wall() - begin,
    )


def code_hash() -> str:
    """The hash of the code that decides what is measured; equal in a checkout and in an image."""
    return tree_hash(Path(__file__).resolve().parent.parent, CODE_FOLDERS)


def obstacle(workload: Workload, variant: str, device: str) -> Optional[Obstacle]:
    """Why a cell cannot run here, or None; the device's reason comes first."""
    return device_obstacle(device) or workload.obstacle(variant, device)


def _outcome(
    workload: Workload, request: Request, clock: Clock, evidence: Evidence
) -> dict[str, Any]:
    """The fields of a result that depend on how the trial went."""
    try:
        found = obstacle(workload, request.variant, request.device)
        if found:
            return {"status": found.status, "reason": found.reason, "remedy": found.remedy}
        measured = _measured(workload, request, clock, evidence)
    except OutputWrong as error:
        return {
            "status": TrialStatus.FAILED,
            "reason": str(error),
            "remedy": "Do not use this row; the operation is wrong on this device.",
        }
    except Exception as error:  # noqa: BLE001 - whatever a workload raises is its result
        status, reason, remedy = classify(error)
        return {"status": status, "reason": reason, "remedy": remedy}
    return {
        "status": TrialStatus.OK,
        "median_s": measured.median_s,
        "samples_s": measured.samples_s,
        "calls_per_sample": measured.calls_per_sample,
        "flags": measured.flags,
    }


def _measured(workload: Workload, request: Request, clock: Clock, evidence: Evidence) -> Measured:
    load_before = load_average()
    evidence.settings.update(settings.apply(request))
    evidence.identity.update(identity.identify(request.device))
    prepared = workload.prepare(request)
    evidence.settings.update(prepared.settings, inputs=inputs.fingerprint(prepared.inputs))
    queue = open_queue(request.device, clock)
    _first_call(queue, clock, prepared, evidence)
    rules = rules_for(workload.kind, request.device, request.preset)
    before = read_load(clock)
    measured = measure(queue, clock, prepared.call, rules, request.calls)
    others = others_share(before, read_load(clock), os.cpu_count() or 1)
    evidence.metrics["others_cpu_share"] = others
    evidence.metrics.update(measured.metrics, peak_memory_bytes=queue.peak_bytes())
    evidence.metrics.update(_article(queue, clock, prepared, request.params))
    evidence.metrics.update(rates(prepared.work, measured.median_s))
    evidence.metrics["load_average"] = [load_before, load_average()]
    if prepared.final_check:
        _accept(prepared.final_check(), evidence)
    evidence.metrics.update(prepared.metrics(evidence.metrics))
    return beside_others(measured, others, request.device)


def beside_others(measured: Measured, others: Optional[float], device: str) -> Measured:
    """On a CPU that others kept busy, quiet samples can be wrong alike: the trial is noisy."""
    if device != "cpu" or (others or 0.0) <= BUSY_SHARE:
        return measured
    return replace(measured, flags=tuple(sorted({*measured.flags, Flag.NOISY.value})))


def _first_call(queue: Queue, clock: Clock, prepared: Prepared, evidence: Evidence) -> None:
    """Time the first call by itself and check its output, before anything else is timed."""
    outputs: list[Any] = []
    first = time_block(queue, clock, lambda: outputs.append(prepared.call()), 1)
    evidence.metrics["first_call_s"] = first.wall_s
    _accept(prepared.check(outputs.pop()), evidence)
    if queue.asynchronous:
        _forget_peak()


def _accept(found: Sequence[OutputCheck], evidence: Evidence) -> None:
    """Record checks, the worst one foremost, and stop the trial at the first that fails."""
    seen = evidence.metrics.setdefault("checks", [])
    for one in found:
        seen.append([one.measure, one.reference, _or_none(one.error), one.tolerance])
    worst = checks.worst([*found, *([evidence.check] if evidence.check else [])])
    if math.isfinite(worst.error):
        evidence.check = worst
    for one in found:
        reason = checks.verdict(one)
        if reason:
            raise OutputWrong(reason)


def rates(work: Mapping[str, float], median_s: float) -> dict[str, float]:
    """What one call does over the time it takes: ``flop_per_s``, ``bytes_per_s``, ..."""
    return {f"{unit}_per_s": amount / median_s for unit, amount in work.items() if median_s > 0}


def open_queue(device: str, clock: Clock) -> Queue:
    """The queue of a device."""
    if device == "cuda":
        from workloads.measure.cuda import CudaQueue

        return CudaQueue()
    return HostQueue(clock)


def load_average() -> Optional[float]:
    """Runnable processes of the last minute, or None where the system does not tell."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


@contextmanager
def private_caches() -> Iterator[None]:
    """Empty compilation caches for this trial alone, removed afterwards."""
    before = {name: os.environ.get(name) for name in _CACHES}
    folder = tempfile.mkdtemp(prefix="torchrig-cache-")
    try:
        os.environ.update({name: str(Path(folder) / name.lower()) for name in _CACHES})
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        shutil.rmtree(folder, ignore_errors=True)


def _article(
    queue: Queue, clock: Clock, prepared: Prepared, params: Mapping[str, Any]
) -> dict[str, Any]:
    """The published figure's own way of timing, where a preset asks for it."""
    calls = int(params.get("article_calls", 0))
    if not calls:
        return {}
    warmups = int(params["article_warmups"])
    total_s = replay(queue, clock, prepared.call, warmups, calls)
    return {
        "article_warmups": warmups,
        "article_calls": calls,
        "article_total_s": total_s,
        "article_s_per_call": total_s / calls,
    }


def _forget_peak() -> None:
    import torch

    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()


def _finite(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Metrics with null in place of what is not finite."""
    return {
        name: _or_none(value) if isinstance(value, float) else value
        for name, value in metrics.items()
    }


def _or_none(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None
