"""What the end of a command in a container means."""

from __future__ import annotations

import pytest

from engines.exec_stream import Exec
from engines.verdict import judge


def ended(code: int | None, elapsed_s: float = 1.0, *, hung: bool = False) -> Exec:
    """A command that ended so."""
    return Exec(code, b"", "", truncated=False, hung=hung, fault="gone", elapsed_s=elapsed_s)


@pytest.mark.parametrize(
    ("done", "running", "oom", "expected"),
    [
        (ended(0), True, False, (False, False, "")),
        (ended(1), True, False, (False, False, "exit status 1")),
        (ended(139), True, False, (False, False, "signal 11")),
        (ended(124), True, False, (False, False, "exit status 124")),
        (ended(124, 10.1), True, False, (True, False, "within 10 s")),
        (ended(137, 20.1), True, False, (True, False, "within 10 s")),
        (ended(137), True, False, (False, True, "killed from outside")),
        (ended(137), True, True, (False, True, "out of memory")),
        (ended(1), True, True, (False, True, "out of memory")),
        (ended(137), False, False, (False, True, "went away")),
        (ended(None), False, False, (False, True, "gone")),
        (ended(None, 50.0, hung=True), True, False, (True, False, "40 s after")),
    ],
)
def test_end_is_told_apart(
    done: Exec, *, running: bool, oom: bool, expected: tuple[bool, bool, str]
) -> None:
    """A limit, a loss and the program's own end never look alike."""
    outcome = judge(done, 10.0, running=running, oom=oom)
    timed_out, lost, words = expected

    assert (timed_out, lost) == (outcome.timed_out, outcome.lost)
    assert words in outcome.reason
    assert bool(words) == bool(outcome.reason)
