"""The pure parts of the active checks: plan, time line, sampler, gathering of events."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import pytest

from envcheck.active import plan
from envcheck.active.gather import Gathered
from envcheck.active.plan import Plan
from envcheck.active.run import follow
from envcheck.active.sampler import Sampler
from envcheck.active.timeline import Timeline

GIB = 1024**3
START = {"device": "cuda", "torch": "2.8.0", "count": 1, "burn_in_s": 0, "inject": "none"}


def sample(**changes: Any) -> dict[str, Any]:
    return {"sm_mhz": 1980, "power_w": 650.0, "throttle": [], **changes}


@pytest.mark.parametrize(
    ("device", "free", "total", "expected"),
    [
        ("cuda", 24 * GIB, 24 * GIB, 24 * GIB - 3 * GIB // 2),
        ("cuda", 140 * GIB, 140 * GIB, 140 * GIB - int(0.03 * 140 * GIB)),
        ("cuda", GIB, 24 * GIB, 0),
        ("cpu", 4 * GIB, 64 * GIB, 128 * 1024**2),
        ("cpu", 64 * 1024**2, 64 * GIB, 32 * 1024**2),
    ],
)
def test_a_margin_of_memory_is_left(device: str, free: int, total: int, expected: int) -> None:
    """A GPU keeps 1.5 GiB or 3 %, whichever is more; a CPU is asked for little."""
    limit = plan.sizes(device, free).memory_limit_bytes

    assert expected == plan.memory_bytes(device, free, total, limit)


@pytest.mark.parametrize(
    ("capability", "expected"),
    [((6, 1), 1), ((7, 5), 2), ((8, 9), 4), ((9, 0), 4)],
)
def test_modes_are_what_the_card_has(capability: tuple[int, int], expected: int) -> None:
    """TF32 and BF16 from 8.0, half precision from 7.0; a CPU has FP32."""
    assert expected == len(plan.modes("cuda", capability))
    assert ("fp32",) == plan.modes("cpu", (0, 0))


@pytest.mark.parametrize("burn_in_s", [1.0, 60.0, 3600.0, 36000.0])
def test_a_long_burn_in_has_no_more_than_300_intervals(burn_in_s: float) -> None:
    """The record of a night is as long as that of ten minutes."""
    assert burn_in_s / plan.interval_s(burn_in_s, 2.0) <= 300.001


def test_a_time_line_stays_bounded_and_forgets_no_throttling() -> None:
    """A night of samples gives a bounded time line; one throttled sample is still counted."""
    line = Timeline(limit=100)
    for step in range(10_000):
        reasons = ["software thermal"] if step == 7_777 else []
        line.add(step / 10, "burn-in", sample(sm_mhz=1900 + step % 2, throttle=reasons))
    found = line.to_dict()
    columns = found["timeline"]

    assert 50 <= len(columns["t_s"]) <= 101
    assert {len(values) for values in columns.values()} == {len(columns["t_s"])}
    assert columns["t_s"] == sorted(columns["t_s"])
    assert 10_000 == found["samples"] == found["phases"][0]["samples"]
    assert {"software thermal": 1} == found["phases"][0]["throttle"]
    assert 1 == sum("software thermal" in reasons for reasons in columns["throttle"])
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_a_phase_is_summed_up_by_median_and_highest() -> None:
    """Gauges that a card lacks are absent, not zero."""
    line = Timeline()
    for clock in (1200, 1980, 1980):
        line.add(0.1, "fp32", sample(sm_mhz=clock, power_w=None))
    found = line.to_dict()["phases"][0]

    assert (1980, 1980) == (found["sm_mhz_median"], found["sm_mhz_max"])
    assert "power_w_max" not in found


def test_sensors_that_fail_in_the_middle_lose_nothing() -> None:
    """Samples before and after are kept; the first failure is told with its time."""
    answers = iter([sample(), sample(), None, None, sample()])

    def read() -> dict[str, Any]:
        found = next(answers)
        if found is None:
            raise RuntimeError("GPU is lost")
        return found

    times = iter(range(100))
    sampler = Sampler(read, clock=lambda: float(next(times)))
    worked = [sampler.tick() for _ in range(5)]
    found = sampler.to_dict()

    assert [True, True, False, False, True] == worked
    assert (3, 2) == (found["samples"], found["failures"])
    assert {"t_s": 3.0, "why": "GPU is lost"} == found["first_failure"]


def test_the_sampler_reads_until_it_is_stopped() -> None:
    """A thread fills the time line; after ``stop`` nothing more is read."""
    sampler = Sampler(sample)
    sampler.start()
    while not sampler.to_dict()["samples"]:
        time.sleep(0.01)
    sampler.stop()
    count = sampler.to_dict()["samples"]
    time.sleep(0.25)

    assert count == sampler.to_dict()["samples"]


def event(name: str, value: Any, device: int = -1) -> bytes:
    return json.dumps({"name": name, "device": device, "value": value}).encode()


def test_a_process_that_dies_loses_only_what_comes_after() -> None:
    """What was told is kept; the rest says how the process ended and where."""
    found = Gathered()
    identity = {"index": 0, "name": "NVIDIA H200"}
    for line in (
        event("start", START),
        event("identity", identity, 0),
        event("reference", "ok", 0),
        event("phase", "memory", 0),
        b'{"name": "memory", "dev',
    ):
        found.take(line)
    found.ended(-11)
    facts = found.facts(Plan())
    device = facts["devices"][0]

    assert ("died", "ok") == (facts["state"], device["reference"])
    assert "signal 11, during GPU 0 (NVIDIA H200): memory" == facts["ending"]
    assert "signal 11" in device["memory"]["unavailable"]


def test_a_refusal_is_the_whole_section() -> None:
    """No torch, no GPU: the section is unavailable and says why."""
    found = Gathered()
    found.take(event("refused", "torch.cuda.is_available() is False"))
    found.ended(0)

    assert {"unavailable": "torch.cuda.is_available() is False"} == found.facts(Plan())


def script(*lines: str) -> list[str]:
    start = event("start", START).decode()
    head = f"import os, sys, time, signal; print({start!r}, flush=True)"
    return [sys.executable, "-c", "\n".join([head, *lines])]


def test_a_probe_that_falls_silent_is_ended() -> None:
    """A device that never answers is a fact after the limit, and the process is gone."""
    found = follow(script("time.sleep(600)"), Plan(), lambda _: None, silence_s=1.0)
    facts = found.facts(Plan())

    assert "died" == facts["state"]
    assert "told nothing for 1 s" in facts["ending"]


def test_a_probe_that_crashes_is_told() -> None:
    """A signal that kills the process is named."""
    found = follow(script("os.kill(os.getpid(), 11)"), Plan(), lambda _: None, silence_s=30.0)

    assert "signal 11" in found.facts(Plan())["ending"]


def test_what_will_happen_is_announced_first() -> None:
    """The first line says how many devices, and about how long."""
    said: list[str] = []
    follow(script(), Plan(burn_in_s=300), said.append, silence_s=30.0)

    assert "1 device: about 10 s, then a burn-in of 300 s" in said[0]


def test_an_interrupt_is_passed_on_to_the_probe() -> None:
    """Ctrl-C asks the probe to end in order, and what it says after that is taken in."""
    end = event("end", {"state": "interrupted", "elapsed_s": 3.0}).decode()
    lines = (
        f"signal.signal(signal.SIGINT, lambda *_: (print({end!r}, flush=True), os._exit(0)))",
        "os.kill(os.getppid(), signal.SIGINT)",
        "time.sleep(60)",
    )
    found = follow(script(*lines), Plan(), lambda _: None, silence_s=30.0)

    assert "interrupted" == found.facts(Plan())["state"]
