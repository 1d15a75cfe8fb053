"""A failed pull or build is told by its log."""

from __future__ import annotations

from pathlib import Path

import pytest

from images import toml
from images.failures import build_error, classify
from images.paths import FAILURES

LOGS = sorted((Path(__file__).parent / "logs").glob("*.txt"))


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_each_log_is_told_as_its_kind(log: Path):
    """The file's name up to its first dot is the kind."""
    failure = classify(log.read_text(encoding="utf-8"))

    assert failure is not None
    assert log.name.split(".")[0] == failure.kind
    assert failure.remedy


def test_every_kind_has_a_log():
    """No pattern stands here untried."""
    kinds = {row["kind"] for row in toml.read(FAILURES)["failures"]}

    assert kinds == {log.name.split(".")[0] for log in LOGS}


@pytest.mark.parametrize("log", [path for path in LOGS if path.name.startswith("registry-un")])
def test_an_unreachable_registry_names_the_three_ways_out(log: Path):
    """Another registry, a base made here, any local base."""
    message = str(build_error("It failed.", log.read_text(encoding="utf-8")))

    assert [] == [way for way in ("--registry", "invoke base", "--base") if way not in message]
    assert "registry cannot be reached" in message


def test_an_unknown_failure_shows_the_end_of_its_log():
    """What is not known is shown, not guessed at."""
    log = "\n".join(f"line {number}" for number in range(100))

    assert classify(log) is None
    assert "line 99" in str(build_error("It failed.", log))
