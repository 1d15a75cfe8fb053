"""What a user sees while a run is played."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from runs_helpers import DESCRIPTIONS, FakeEngine, outcome, plan, targets

from runs.execute import execute
from runs.progress import BarProgress, LineProgress, duration, make_progress
from runs.select import Request
from runs.store import RunFolder


def test_lines_say_what_runs_how_long_and_what_came_of_it(tmp_path: object) -> None:
    """Before the first trial, per trial, and at the end; no control character passes."""
    made = plan(Request("smoke", "cpu", workloads=("matmul",)))
    lines: list[str] = []
    engine = FakeEngine(lambda _env, _args: outcome(b"", timed_out=False, returncode=1))
    folder = RunFolder.create(tmp_path, made, DESCRIPTIONS)  # type: ignore[arg-type]
    execute(made, engine, targets(), folder, LineProgress(lines.append))

    assert "1 variant, 1 round, 2 trials to play" == lines[2]
    assert "About 2 s" == lines[3]
    assert lines[4].startswith("[1/2] r1 torch")
    assert "failed: its process ended with exit status 1" in lines[4]
    assert lines[-1].startswith("Played 2 of 2 trials")


def test_a_terminal_gets_a_bar_and_a_pipe_gets_lines() -> None:
    """Chosen by the console."""
    assert isinstance(make_progress(Console(file=io.StringIO(), force_terminal=True)), BarProgress)
    assert isinstance(make_progress(Console(file=io.StringIO())), LineProgress)


def test_the_bar_keeps_what_went_wrong_as_lines(tmp_path: object) -> None:
    """And what a process says cannot move the cursor."""
    made = plan(Request("smoke", "cpu", workloads=("matmul",)))
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=200, color_system=None)
    lost = outcome(lost=True, returncode=-1, reason="gone \x1b[2J away")
    folder = RunFolder.create(tmp_path, made, DESCRIPTIONS)  # type: ignore[arg-type]
    execute(made, FakeEngine(lambda _e, _a: lost), targets(), folder, make_progress(console))

    assert "gone [2J away" in stream.getvalue()
    assert "\x1b[2J" not in stream.getvalue()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (45, "45 s"), (200, "3 min"), (3600, "60 min"), (7500, "2 h 05 min")],
)
def test_durations(seconds: float, words: str) -> None:
    """As a person says them."""
    assert words == duration(seconds)
