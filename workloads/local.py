"""Run cells on this interpreter, one fresh process each, and show them as a table."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Mapping, Sequence

from core import jsonio
from core.errors import InputError, ResultError
from core.records import TrialResult
from core.status import TrialStatus
from workloads.base import Workload
from workloads.names import pick
from workloads.tables import aligned, seconds

_LIMIT_FACTOR = 10
_LIMIT_LEAST_S = 120.0
_HEADER = ["workload", "variant", "status", "median", "noise", "samples", "flags, or why not"]

Cell = tuple[Workload, str]


def resolve_device(name: str) -> str:
    """``auto`` becomes ``cuda`` where torch sees a device, else ``cpu``."""
    if name != "auto":
        return name
    if importlib.util.find_spec("torch") is None:
        return "cpu"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def cells(
    found: Mapping[str, Workload], names: Sequence[str], variants: Sequence[str], device: str
) -> list[Cell]:
    """The cells that were asked for; all of them when nothing was named.

    Raises:
        InputError: an unknown workload or variant, or nothing left for the device.
    """
    chosen = [pick("workload", name, found) for name in names] or list(found.values())
    known = dict.fromkeys(v.name for workload in chosen for v in workload.variants)
    for name in variants:
        pick("variant", name, known)
    picked = [
        (workload, variant.name)
        for workload in chosen
        for variant in workload.variants
        if device in variant.devices and (not variants or variant.name in variants)
    ]
    if not picked:
        raise InputError(f"No variant that was named runs on {device}.", remedy="Name another.")
    return picked


def run_cells(picked: Sequence[Cell], device: str, preset: str, seed: int, threads: int) -> int:
    """Run cells one after the other; exit status 1 when one of them is at fault."""
    total_s = sum(workload.estimate_s(variant, preset, device) for workload, variant in picked)
    sys.stderr.write(f"{len(picked)} trials on {device}, preset {preset}: about {total_s:.0f} s\n")
    results = []
    for workload, variant in picked:
        result = _in_fresh_process(workload, variant, device, preset, seed, threads)
        sys.stderr.write(f"{workload.name} {variant}: {result.status.value}\n")
        results.append(result)
    sys.stdout.write(results_table(results))
    return 1 if any(result.status.is_fault for result in results) else 0


def results_table(results: Sequence[TrialResult]) -> str:
    """One line per trial."""
    return aligned(_HEADER, [_row(result) for result in results])


def _row(result: TrialResult) -> list[str]:
    measured = ["", "", ""]
    if result.median_s is not None:
        noise = f"{100 * result.metrics['noise']:.1f} %"
        measured = [seconds(result.median_s), noise, str(len(result.samples_s))]
    why = " ".join(part for part in (", ".join(result.flags), result.reason) if part)
    return [result.workload, result.variant, result.status.value, *measured, why]


def _in_fresh_process(
    workload: Workload, variant: str, device: str, preset: str, seed: int, threads: int
) -> TrialResult:
    limit_s = max(_LIMIT_LEAST_S, _LIMIT_FACTOR * workload.estimate_s(variant, preset, device))
    cell: dict[str, Any] = {
        "workload": workload.name,
        "variant": variant,
        "device": device,
        "preset": preset,
    }
    options = {**cell, "seed": str(seed), "threads": str(threads)}
    command = [sys.executable, "-m", "workloads", "--trial"]
    command += [part for name, value in options.items() for part in (f"--{name}", value)]
    try:
        done = subprocess.run(
            command, env=_environment(), stdout=subprocess.PIPE, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired:
        reason = f"it ran longer than {limit_s:.0f} s"
        return TrialResult(**cell, seed=seed, status=TrialStatus.TIMEOUT, reason=reason)
    return _read(done, cell, seed)


def _read(
    done: subprocess.CompletedProcess[bytes], cell: Mapping[str, Any], seed: int
) -> TrialResult:
    if done.returncode == 0:
        try:
            return TrialResult.from_dict(jsonio.loads(done.stdout.decode("utf-8")))
        except (ResultError, UnicodeDecodeError) as error:
            return TrialResult(**cell, seed=seed, status=TrialStatus.LOST, reason=str(error))
    reason = f"its process ended with status {done.returncode}"
    return TrialResult(**cell, seed=seed, status=TrialStatus.LOST, reason=reason)


def _environment() -> dict[str, str]:
    root = str(Path(__file__).resolve().parent.parent)
    rest = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(part for part in (root, rest) if part)}
