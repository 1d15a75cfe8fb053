"""Run the torch probe and gather what it managed to say."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Optional

from envcheck.facts.field import unavailable
from envcheck.facts.shell import Ran, run

FIELDS = (
    "import",
    "version",
    "cuda",
    "arch_list",
    "compile",
    "pkg_resources_needed",
    "arch_variable",
    "threads",
    "cudnn",
    "cudnn_built",
    "cuda_loaded",
    "operation_cpu",
    "numpy",
    "available",
    "devices",
    "libraries",
    "nms",
    "audio",
    "addons",
)


def collect(device: str, timeout_s: float = 180.0) -> dict[str, Any]:
    """The ``torch`` section."""
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
    argv = [sys.executable, "-m", "envcheck.facts.torch_probe", device]
    return gather(run(argv, timeout_s=timeout_s, env={"PYTHONPATH": path}), device)


def gather(ran: Ran, device: str) -> dict[str, Any]:
    """The facts among the probe's lines; what it did not reach is unavailable, with the reason."""
    told = dict(filter(None, map(_item, ran.out.splitlines())))
    if ran.why or ran.returncode != 0:
        told.setdefault("import", f"torch's process ended early: {_ending(ran)}")
    missing = _missing(ran, told, device)
    return {name: told.get(name, missing) for name in FIELDS}


def _item(line: str) -> Optional[tuple[str, Any]]:
    try:
        item = json.loads(line)
        return str(item["name"]), item["value"]
    except (ValueError, KeyError, TypeError):
        return None  # a line that was cut off when the process died


def _missing(ran: Ran, told: dict[str, Any], device: str) -> dict[str, str]:
    if ran.why or ran.returncode != 0:
        return unavailable(f"torch's process ended before this: {_ending(ran)}")
    if told.get("import") != "ok":
        return unavailable("torch could not be imported")
    return unavailable(f"not read for --device {device}")


def _ending(ran: Ran) -> str:
    if ran.why:
        return ran.why
    how = f"signal {-ran.returncode}" if ran.returncode < 0 else f"exit status {ran.returncode}"
    last = ran.err.strip().splitlines()[-1:] or [""]
    return f"{how} {last[0]}".strip()[:300]
