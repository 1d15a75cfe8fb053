"""Start the probe, follow it, and gather its facts: the ``active`` section.

The probe is watched: a device that stops answering, or a process that dies, is a fact beside
everything that was told before. Ctrl-C asks the probe to end early; a second one kills it.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

from envcheck.active.gather import Gathered
from envcheck.active.plan import Plan, announcement
from envcheck.facts.redact import without_home

SILENCE_S = 180.0
PROGRESS_S = 10.0

Say = Callable[[str], Any]


def collect(plan: Plan, say: Optional[Say] = None, silence_s: float = SILENCE_S) -> Any:
    """Carry out ``plan`` in a process of its own and return the ``active`` section.

    ``say`` gets lines of progress (standard error by default). A probe that tells nothing for
    ``silence_s`` seconds is ended.
    """
    started = dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    argv = [sys.executable, "-m", "envcheck.active.probe", json.dumps(plan.to_dict())]
    found = follow(argv, plan, say or sys.stderr.write, silence_s)
    facts = found.facts(plan)
    if "devices" in facts:
        facts["started_at"] = started
    return facts if plan.identify else without_home(facts, str(Path.home()))


def follow(argv: list[str], plan: Plan, say: Say, silence_s: float) -> Gathered:
    """Run ``argv`` and take in its events until it ends, is ended, or falls silent."""
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    lines = _lines(process)
    found = Gathered()
    progress = _Progress(plan, say)
    silent = False
    with _interruptible(process, say):
        while True:
            try:
                line = lines.get(timeout=silence_s)
            except queue.Empty:
                silent = True
                break
            if line is None:
                break
            found.take(line)
            progress.told(found)
        returncode = _end(process, silent=silent)
    found.ended(returncode, silent_s=silence_s if silent else 0.0)
    return found


def _lines(process: subprocess.Popen[bytes]) -> queue.Queue[Optional[bytes]]:
    """The process's lines as they come, None at the end."""
    waiting: queue.Queue[Optional[bytes]] = queue.Queue()

    def read() -> None:
        stream = process.stdout
        if stream is not None:
            for line in stream:
                waiting.put(line)
            stream.close()
        waiting.put(None)

    threading.Thread(target=read, name="events", daemon=True).start()
    return waiting


@contextmanager
def _interruptible(process: subprocess.Popen[bytes], say: Say) -> Iterator[None]:
    """Inside, the first SIGINT asks the process to end early, and a second one kills it.

    A signal that this process ignores stays ignored; beside the main thread nothing is changed.
    """
    seen: list[int] = []

    def handle(number: int, _: object) -> None:
        seen.append(number)
        if len(seen) == 1:
            say("ending early; once more to end at once\n")
            process.send_signal(signal.SIGINT)
        else:
            process.kill()

    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(process: subprocess.Popen[bytes], *, silent: bool) -> int:
    if silent:
        process.kill()
    try:
        return process.wait(timeout=30.0)
    except subprocess.TimeoutExpired:
        process.kill()
        return -signal.SIGKILL


class _Progress:
    """Says what is about to happen, then how far it is, at most every ten seconds."""

    def __init__(self, plan: Plan, say: Say) -> None:
        self._plan = plan
        self._say = say
        self._announced = False
        self._last = float("-inf")

    def told(self, found: Gathered) -> None:
        """After every event."""
        if found.count and not self._announced:
            self._announced = True
            self._say(announcement(self._plan, found.count) + "\n")
        if found.is_burning and time.monotonic() - self._last >= PROGRESS_S:
            self._last = time.monotonic()
            self._say(found.progress() + "\n")
