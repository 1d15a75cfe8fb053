"""Run folders made to order: two environments, chosen medians, statuses and damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Mapping, Sequence

from core.records import OutputCheck, TrialResult
from core.status import TrialStatus

OLD, NEW = "torch113-cuda117", "torch28-cuda124"
CODE = "c" * 64
IDENTITY = {
    OLD: {"torch": "1.13.1+cu117", "wheel_cuda": "11.7", "cudnn": 8500, "numpy": "1.26.4"},
    NEW: {"torch": "2.8.0+cu128", "wheel_cuda": "12.8", "cudnn": 91002, "numpy": "2.2.6"},
}
SHARED = {"python": "3.10.13", "cpu": "EPYC", "cpu_threads": 2, "kernel": "6.1"}
GPU = {
    "gpu": "NVIDIA GeForce RTX 4090 D",
    "gpu_memory_bytes": 24 * 2**30,
    "gpu_uuid": "GPU-1",
    "driver": "550.54",
}

Cell = tuple[str, str, str]


def trial(environment: str, number: int, median_s: float | None, **changes: Any) -> TrialResult:
    """One trial of ``matmul/fp32`` on the CPU unless changed."""
    device = str(changes.get("device", "cpu"))
    fields: dict[str, Any] = {
        "environment": environment,
        "workload": "matmul",
        "variant": "fp32",
        "device": device,
        "preset": "full",
        "round": number,
        "status": TrialStatus.OK,
        "median_s": median_s,
        "samples_s": (median_s, median_s * 1.01, median_s * 0.99) if median_s else (),
        "calls_per_sample": 10,
        "settings": {"matmul_tf32": False, "threads": 2},
        "identity": {**SHARED, **IDENTITY[environment], **(GPU if device == "cuda" else {})},
        "check": OutputCheck("relative Frobenius norm", 1e-7, 1e-5, "float64"),
        "metrics": {"flop_per_s": 2.5e9, "peak_memory_bytes": 2.0**28},
        "code_hash": CODE,
    }
    return TrialResult(**{**fields, **changes})


def faulty(
    environment: str, number: int, status: TrialStatus, reason: str, **changes: Any
) -> TrialResult:
    """A trial that is not ok."""
    return trial(environment, number, None, status=status, reason=reason, check=None, **changes)


def pair(olds: Sequence[float], news: Sequence[float], **changes: Any) -> list[TrialResult]:
    """Both sides of one row, one trial per round."""
    sides = ((OLD, olds), (NEW, news))
    return [trial(name, r, m, **changes) for name, side in sides for r, m in enumerate(side)]


def file_name(result: TrialResult) -> str:
    names = (result.environment, result.device, result.workload, result.variant)
    return "__".join((*names, f"r{result.round}")) + ".json"


def write_run(
    folder: Path,
    trials: Sequence[TrialResult],
    *,
    preset: str = "full",
    baseline: str = OLD,
    environments: Sequence[str] = (OLD, NEW),
    plan: Mapping[str, Any] | None = None,
) -> Path:
    """A run's folder that holds these trials, all of them planned."""
    for name in ("trials", "environments", "facts"):
        (folder / name).mkdir(parents=True)
    planned = [
        {key: getattr(t, key) for key in ("environment", "device", "workload", "variant", "round")}
        | {"file": file_name(t)}
        for t in trials
    ]
    rounds = max((t.round for t in trials), default=0) + 1
    data = {
        "schema": 1, "run_id": "20260102-030405-abcdef", "created_at": "2026-01-02T03:04:05+00:00",
        "preset": preset, "device": "cpu", "rounds": rounds, "seed": 7, "engine": "venv",
        "baseline": baseline, "environments": list(environments), "code_hash": CODE,
        "commands": ["invoke build run-all --preset full"], "notes": [], "trials": planned,
    }  # fmt: skip
    dump(folder / "plan.json", {**data, **(plan or {})})
    for name in environments:
        described = {"schema": 1, "name": name, "title": name, "engine": "venv", "lock_hash": name}
        dump(folder / "environments" / f"{name}.json", described)
    for result in trials:
        dump(folder / "trials" / file_name(result), result.to_dict())
    return folder


def dump(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data), encoding="utf-8")
