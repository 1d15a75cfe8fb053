"""How long the tool itself takes. `make bench` prints the figures; none of them decides a test.

The bars stand in docs/design.md. Each figure is the median of five runs in fresh processes, with
the fastest and slowest beside it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5
VERBS = {
    "invoke --list (bar 0.5 s)": ["--list"],
    "invoke validate (bar 1 s)": ["validate"],
    "invoke render --check (bar 1 s)": ["render", "--check"],
    "invoke list": ["list"],
    "invoke envcheck (bar 5 s)": ["envcheck"],
    "invoke claims": ["claims"],
}


def timed(arguments: list[str]) -> list[float]:
    """Seconds of each run of one verb."""
    seconds = []
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "invoke", *arguments],
            cwd=ROOT, capture_output=True, check=True,
        )  # fmt: skip
        seconds.append(time.perf_counter() - started)
    return seconds


def told(name: str, seconds: list[float]) -> str:
    """One line: median, fastest, slowest, count."""
    middle, low, high = statistics.median(seconds), min(seconds), max(seconds)
    return f"{name}: {middle:.2f} s ({low:.2f}-{high:.2f} s, n={len(seconds)})"


@pytest.mark.parametrize("name", VERBS)
def test_verbs(name: str) -> None:
    """Verbs that look and judge."""
    print(f"\n{told(name, timed(VERBS[name]))}, {os.cpu_count()} processors")


@pytest.mark.docker
def test_build_with_nothing_changed(local_base: str) -> None:
    """The second and later builds on the same base."""
    build = ["build", "--base", local_base]
    subprocess.run([sys.executable, "-m", "invoke", *build], cwd=ROOT, check=True)
    print(f"\n{told('invoke build, nothing changed (bar 3 s)', timed(build))}")
