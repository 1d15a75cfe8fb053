"""The process that holds torch and loads the devices: one JSON event per line on stdout.

Run as ``python -m envcheck.active.probe PLAN`` with the plan as JSON. Every finding is told as
soon as it is known, so a crash loses only what comes after it. SIGINT ends the work early and in
order. Prints of libraries go to stderr.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from envcheck.active.accelerator import Accelerator
from envcheck.active.plan import Plan
from envcheck.active.unit import Unit

SAYS_NO_GPU = "torch sees no GPU although this machine has one; say --device cpu to test the CPU"


class Teller:
    """Writes events; one at a time, whichever thread has one."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def __call__(self, name: str, value: Any, device: int = -1) -> None:
        """``device`` is the place in the list of devices, -1 for the whole run."""
        line = json.dumps({"name": name, "device": device, "value": value}, allow_nan=False)
        with self._lock:
            self._stream.write(line + "\n")
            self._stream.flush()


def main(text: str) -> None:
    """Carry out a plan."""
    stopped = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: stopped.set())
    tell = Teller(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    plan = Plan.from_dict(json.loads(text))
    begin = time.monotonic()
    try:
        import torch
    except BaseException as error:  # noqa: BLE001 - the text of any failure is the fact
        tell("refused", f"torch cannot be imported: {type(error).__name__}: {error}")
        return
    kind, why_not = choose(torch, plan.device)
    if why_not:
        tell("refused", why_not)
        return
    count = torch.cuda.device_count() if kind == "cuda" else 1
    start = {"device": kind, "torch": str(torch.__version__), "count": count}
    tell("start", {**start, "burn_in_s": plan.burn_in_s, "inject": plan.inject})
    _run([Unit(Accelerator(torch, kind, i), i, plan, tell, stopped) for i in range(count)], plan)
    state = "interrupted" if stopped.is_set() else "complete"
    tell("end", {"state": state, "elapsed_s": round(time.monotonic() - begin, 1)})


def choose(torch: Any, wanted: str) -> tuple[str, str]:
    """``cuda`` or ``cpu``, and why it cannot be what was asked for."""
    if wanted == "cpu":
        return "cpu", ""
    if torch.cuda.is_available():
        return "cuda", ""
    if wanted == "cuda":
        return "cuda", "torch.cuda.is_available() is False"
    return "cpu", SAYS_NO_GPU if Path("/dev/nvidiactl").exists() else ""


def _run(units: list[Unit], plan: Plan) -> None:
    """The short checks one device after another, then the burn-in on all of them at once."""
    for unit in units:
        unit.short()
    if plan.burn_in_s:
        with ThreadPoolExecutor(max_workers=len(units)) as pool:
            list(pool.map(Unit.burn_in, units))
    for unit in units:
        unit.close()


if __name__ == "__main__":
    main(sys.argv[1])
