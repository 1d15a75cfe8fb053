"""Playing a plan against recorded sessions, and once against the real suite."""

from __future__ import annotations

import json
import multiprocessing
import os
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import pytest
from runs_helpers import (
    DESCRIPTIONS,
    LOST,
    NEW,
    OLD,
    FakeEngine,
    Silent,
    SubprocessEngine,
    answer,
    option,
    outcome,
    plan,
    targets,
)

from core.errors import EngineError, InputError
from core.records import TrialResult
from core.status import TrialStatus
from engines.base import Outcome
from runs.catalog import offers
from runs.execute import RunOutcome, execute
from runs.parse import how_it_ended, parse
from runs.plan import Plan
from runs.select import Request
from runs.store import RunFolder, new_run_id, refuse_changed
from workloads import registry

if TYPE_CHECKING:
    from engines.venv_build import Built


def folder_for(tmp_path: Path, made: Plan) -> RunFolder:
    return RunFolder.create(tmp_path / "out", made, DESCRIPTIONS)


def play(
    tmp_path: Path, engine: Any, request: Request | None = None
) -> tuple[RunFolder, RunOutcome]:
    made = plan(request)
    folder = folder_for(tmp_path, made)
    return folder, execute(made, engine, targets(), folder, Silent())


def results(folder: RunFolder) -> list[TrialResult]:
    found = [folder.read_trial(trial) for trial in folder.plan().trials]
    return [result for result in found if result is not None]


def test_a_run_leaves_one_file_per_trial(tmp_path: Path) -> None:
    """Each with its environment and round, which the process itself does not know."""
    folder, done = play(tmp_path, FakeEngine(), Request("smoke", "cpu", rounds=2))
    trials = folder.plan().trials

    assert {t.file for t in trials} == {p.name for p in folder.trials.iterdir()}
    assert [(t.cell.environment, t.round) for t in trials] == [
        (r.environment, r.round) for r in results(folder)
    ]
    assert (12, {"ok": 12}, 0) == (done.played, done.counts, done.exit_status)


def test_one_session_per_environment_is_kept_up_and_closed(tmp_path: Path) -> None:
    """Opened once, whatever the number of rounds; its identity is kept."""
    engine = FakeEngine()
    folder, _ = play(tmp_path, engine, Request("smoke", "cpu", rounds=3))
    described = json.loads((folder.path / "environments" / f"{NEW}.json").read_text())

    assert sorted(engine.opened) == sorted(engine.closed) == [OLD, NEW]
    assert {"image_id": "sha256:1"} == described["session"]
    assert "2.8.0" == described["torch"]


def test_calls_are_frozen_by_the_first_ok_trial(tmp_path: Path) -> None:
    """A failed first trial freezes nothing; every later one is told the same number."""
    seen: list[str | None] = []

    def reply(_environment: str, args: Sequence[str]) -> Outcome:
        seen.append(option(args, "--calls"))
        if len(seen) == 1:
            return outcome(returncode=1)
        return outcome(
            answer(args, calls_per_sample=int(option(args, "--calls") or 40 + len(seen)))
        )

    request = Request("smoke", "cpu", rounds=2, workloads=("matmul",))
    folder, _ = play(tmp_path, FakeEngine(reply), request)

    assert [None, None, "42", "42"] == seen
    assert {"cpu/matmul/fp32": 42} == folder.calls()


def test_a_later_trial_does_not_change_the_frozen_calls(tmp_path: Path) -> None:
    """Also where a process ignores what it was told."""
    count = iter(range(1000))
    engine = FakeEngine(lambda _e, args: outcome(answer(args, calls_per_sample=10 + next(count))))
    folder, _ = play(tmp_path, engine, Request("smoke", "cpu", rounds=2, workloads=("matmul",)))

    assert {"cpu/matmul/fp32": 10} == folder.calls()
    assert [None, "10", "10", "10"] == [option(args, "--calls") for _, args, _ in engine.asked]


BAD = {
    "nothing": (outcome(b""), "failed", "not valid JSON"),
    "a list": (outcome([1]), "failed", "not one JSON object"),
    "NaN": (outcome(b'{"median_s": NaN}'), "failed", "NaN"),
    "not UTF-8": (outcome(b"\xff"), "failed", "UTF-8"),
    "too large": (outcome(b" " * (16 * 1024 * 1024 + 1)), "failed", "larger than 16 MiB"),
    "schema 99": (outcome({"schema": 99}), "failed", "schema 99"),
    "no fields": (outcome({"schema": 1}), "failed", "no usable result"),
    "exit 3": (outcome(b"", returncode=3, log="boom"), "failed", "exit status 3"),
    "killed": (outcome(b"", returncode=137), "failed", "SIGKILL, most likely for using too much"),
    "crashed": (outcome(b"", returncode=-11), "failed", "SIGSEGV"),
    "timeout": (outcome(b"", timed_out=True, returncode=-9), "timeout", "within 120 s"),
    "lost": (LOST, "lost", "the container went away"),
}


@pytest.mark.parametrize("name", BAD)
def test_whatever_a_process_does_becomes_a_typed_result(name: str) -> None:
    """With its reason, a remedy and the end of its log."""
    made = plan()
    ended, status, words = BAD[name]
    result = parse(ended, made.trials[0], made)

    assert (status, ended.log) == (result.status.value, result.log)
    assert words in result.reason
    assert result.remedy


@pytest.mark.parametrize(
    "change",
    [{"workload": "other"}, {"device": "cuda"}, {"seed": 99}, {"preset": "full"},
     {"calls_per_sample": 0}, {"calls_per_sample": "7"}, {"status": "missing", "reason": "x"}],
    ids=str,
)  # fmt: skip
def test_an_answer_for_another_trial_or_an_impossible_one_is_failed(change: Any) -> None:
    """A process cannot speak for another cell."""
    made = plan()
    args = ["--workload", made.trials[0].cell.workload, "--variant", made.trials[0].cell.variant]
    args += ["--device", "cpu", "--preset", "smoke", "--seed", "0"]

    assert TrialStatus.OK is parse(outcome(answer(args)), made.trials[0], made).status
    assert TrialStatus.FAILED is parse(outcome(answer(args, **change)), made.trials[0], made).status


def test_ends_in_words() -> None:
    """Both conventions for death by signal."""
    assert how_it_ended(137) == how_it_ended(-9)
    assert "exit status 1" in how_it_ended(1)


def test_a_lost_session_is_opened_again_and_the_trial_repeated(tmp_path: Path) -> None:
    """One container removed from outside costs nothing."""
    count = iter(range(1000))

    def reply(_environment: str, args: Sequence[str]) -> Outcome:
        return LOST if next(count) == 2 else outcome(answer(args))

    engine = FakeEngine(reply)
    _, done = play(tmp_path, engine)

    assert ({"ok": 6}, 3, 3) == (done.counts, len(engine.opened), len(engine.closed))


def test_an_environment_that_keeps_going_away_is_given_up(tmp_path: Path) -> None:
    """Its trials are lost, the other environment's go on, and nobody tries a hundred times."""

    def reply(environment: str, args: Sequence[str]) -> Outcome:
        return LOST if environment == NEW else outcome(answer(args))

    engine = FakeEngine(reply)
    folder, done = play(tmp_path, engine, Request("full", "cpu"))
    reasons = {r.reason for r in results(folder) if r.environment == NEW}

    assert ({"ok": 18, "lost": 18}, 1) == (done.counts, done.exit_status)
    assert 4 == engine.opened.count(NEW)
    assert any("given up" in reason for reason in reasons)


def test_losses_that_do_not_follow_each_other_give_nothing_up(tmp_path: Path) -> None:
    """A trial that works in between starts the count anew."""
    count = iter(range(1000))

    def reply(_environment: str, args: Sequence[str]) -> Outcome:
        return LOST if next(count) % 3 < 2 else outcome(answer(args))

    request = Request("full", "cpu", environments=(NEW,), workloads=("svd",))
    _, done = play(tmp_path, FakeEngine(reply), request)

    assert {"lost": 3, "ok": 3} == done.counts


def test_an_environment_that_cannot_be_opened_is_lost_with_the_reason(tmp_path: Path) -> None:
    """The other one still runs."""

    class Refusing(FakeEngine):
        def open(self, target: Any, *, device: str, label: str) -> Any:
            """Refuse the newer environment."""
            if target.environment == NEW:
                raise EngineError("No image.", remedy="Build it.")
            return super().open(target, device=device, label=label)

    folder, done = play(tmp_path, Refusing())

    assert {"ok": 3, "lost": 3} == done.counts
    assert all("Build it." in r.reason for r in results(folder) if r.environment == NEW)


def interrupt_after(number: int) -> Any:
    count = iter(range(1000))

    def reply(_environment: str, args: Sequence[str]) -> Outcome:
        if next(count) == number:
            raise KeyboardInterrupt
        return outcome(answer(args))

    return reply


def test_an_interruption_keeps_what_is_done_and_closes_every_session(tmp_path: Path) -> None:
    """Exit status 130."""
    engine = FakeEngine(interrupt_after(3))
    folder, done = play(tmp_path, engine)

    assert (True, 3, 130, 3) == (
        done.interrupted,
        done.played,
        done.exit_status,
        len(results(folder)),
    )
    assert sorted(engine.opened) == sorted(engine.closed)


def test_resuming_plays_only_what_is_missing(tmp_path: Path) -> None:
    """Absent, damaged and lost trials, with the calls frozen before; nothing twice."""
    folder, _ = play(tmp_path, FakeEngine(interrupt_after(4)))
    made = folder.plan()
    kept = [t for t in made.trials if folder.read_trial(t)]
    damaged = folder.trials / kept[0].file
    damaged.write_text(damaged.read_text()[:50])
    again = FakeEngine()
    done = execute(made, again, targets(), folder, Silent())

    assert (3, 6) == (done.played, len(results(folder)))
    assert all(option(args, "--calls") == "7" for _, args, _ in again.asked[:1])
    assert () == folder.missing(made)


def test_resuming_repeats_what_was_lost(tmp_path: Path) -> None:
    """A lost container is no result of the cell."""
    folder, first = play(tmp_path, FakeEngine(lambda _e, _a: LOST))
    done = execute(folder.plan(), FakeEngine(), targets(), folder, Silent())

    assert ({"lost": 6}, {"ok": 6}) == (first.counts, done.counts)


@pytest.mark.parametrize("change", [{"code_hash": "x"}, {"lock_hashes": {OLD: "x", NEW: "b" * 64}}])
def test_a_changed_run_is_not_resumed(change: Any) -> None:
    """Neither with other code nor with another lock; the message names what changed."""
    made = plan()
    same = {"code_hash": made.code_hash, "lock_hashes": made.lock_hashes}
    refuse_changed(made, **same)

    with pytest.raises(InputError, match="code" if "code_hash" in change else OLD):
        refuse_changed(made, **{**same, **change})


def _hold(path: str, ready: Any, release: Any) -> None:
    with RunFolder(Path(path)).lock():
        ready.set()
        release.wait(30)


def test_two_processes_on_one_run_exclude_each_other(tmp_path: Path) -> None:
    """The second is told the first one's process id; a dead owner holds nothing."""
    folder = folder_for(tmp_path, plan())
    context = multiprocessing.get_context("spawn")
    ready, release = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(str(folder.path), ready, release))
    other.start()
    try:
        assert ready.wait(60)
        with pytest.raises(InputError, match=str(other.pid)), folder.lock():
            pass
    finally:
        other.kill()
        other.join()
    with folder.lock():
        assert str(os.getpid()) == (folder.path / "run.lock").read_text().strip()


def test_a_run_is_never_written_over(tmp_path: Path) -> None:
    """The same id twice is wrong input."""
    folder_for(tmp_path, plan())

    with pytest.raises(InputError, match="cannot be made"):
        folder_for(tmp_path, plan())


def test_run_ids_differ_and_sort_by_time() -> None:
    """Time first, then a random tail."""
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    ids = {new_run_id(now) for _ in range(50)}

    assert 50 == len(ids)
    assert all(name.startswith("20260102-030405-") for name in ids)


@pytest.mark.environments
def test_the_real_suite_in_both_real_environments(
    tmp_path: Path, real_environments: Mapping[str, Built]
) -> None:
    """One tiny variant, measured in torch 1.13.1 and 2.8.0, each in fresh processes."""
    made = plan(Request("smoke", "cpu", workloads=("matmul/fp32",)), offers=offers(registry.load()))
    folder = folder_for(tmp_path, made)
    engine = SubprocessEngine(
        {name: str(built.python) for name, built in real_environments.items()}
    )
    done = execute(made, engine, targets(), folder, Silent())
    found = results(folder)

    assert {"ok": 2} == done.counts
    assert {"1.13.1", "2.8.0"} == {str(r.identity["torch"]).split("+")[0] for r in found}
    assert 1 == len({(r.calls_per_sample, json.dumps(r.settings, sort_keys=True)) for r in found})
