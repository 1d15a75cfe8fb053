"""What is planned for which request, and in which order."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from runs_helpers import DESCRIPTIONS, NEW, OFFERS, OLD, offer, plan

from core.errors import InputError, ResultError
from runs.catalog import offers
from runs.cells import Cell, PlannedTrial
from runs.plan import Plan
from runs.select import Request
from workloads import registry


def test_every_cell_once_per_round() -> None:
    """Two environments times three variants times the preset's rounds."""
    made = plan(Request("quick", "cpu"))
    counts = Counter((t.cell, t.round) for t in made.trials)

    assert (2 * 3 * 3, {1}, 3) == (len(made.trials), set(counts.values()), made.rounds)


@pytest.mark.parametrize(
    ("preset", "rounds"), [("smoke", 1), ("quick", 3), ("full", 6), ("published", 3)]
)
def test_rounds_of_the_presets(preset: str, rounds: int) -> None:
    """Unless the user says otherwise."""
    assert rounds == plan(Request(preset, "cpu")).rounds
    assert 2 == plan(Request(preset, "cpu", rounds=2)).rounds


def test_the_second_round_of_a_pair_is_the_first_one_backwards() -> None:
    """And the next pair has an order of its own."""
    made = plan(Request("full", "cpu", seed=11))
    orders = [[t.cell for t in made.trials if t.round == r] for r in range(6)]

    assert orders[0] == orders[1][::-1]
    assert orders[2] == orders[3][::-1]
    assert orders[0] not in (orders[2], orders[3])


def test_environments_of_a_row_follow_each_other() -> None:
    """So that a drift of the machine meets both alike."""
    made = plan(Request("full", "cpu"))
    rows = [t.cell.row for t in made.trials]

    assert all(rows[i] == rows[i + 1] for i in range(0, len(rows), 2))


def test_the_seed_decides_the_order() -> None:
    """Equal seeds give equal plans, other seeds another order."""
    same = [plan(Request("full", "cpu", seed=5)) for _ in range(2)]

    assert same[0] == same[1]
    assert same[0].trials != plan(Request("full", "cpu", seed=6)).trials


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request("smoke", "cpu", workloads=("matmull",)), "matmul"),
        (Request("smoke", "cpu", workloads=("matmul/fp23",)), "fp32"),
        (Request("smoke", "cpu", environments=("torch28-cuda125",)), NEW),
        (Request("smok", "cpu"), "smoke"),
        (Request("smoke", "cpu", environments=(OLD, OLD)), "twice"),
        (Request("smoke", "cpu", rounds=0), "1 to 100"),
        (Request("smoke", "cpu", timeout_s=0), "above 0"),
    ],
    ids=str,
)
def test_wrong_input_is_named_with_the_nearest_known(request_: Request, words: str) -> None:
    """Exit status 2, and what was probably meant."""
    with pytest.raises(InputError, match=words) as caught:
        plan(request_)

    assert 2 == caught.value.exit_code


def test_filters() -> None:
    """By workload, by variant, by environment."""
    made = plan(Request("smoke", "cpu", environments=(NEW,), workloads=("svd", "sigmoid/eager")))

    assert {(NEW, "svd"), (NEW, "sigmoid")} == {(c.environment, c.workload) for c in made.cells}
    assert NEW == made.baseline


def test_published_on_a_gpu_adds_the_newest_environment_on_the_cpu() -> None:
    """Only for variants with a published CPU figure."""
    cells = plan(Request("published", "cuda")).cells

    assert [Cell(NEW, "cpu", "matmul", "fp32")] == [c for c in cells if c.device == "cpu"]


def test_a_variant_for_cpus_runs_there_on_a_gpu_run_too() -> None:
    """Labelled as what it is, so that it is never set against a GPU's row."""
    made = plan(Request("smoke", "cuda"), offers=[offer("int8", devices=("cpu",))])

    assert {"cpu"} == {cell.device for cell in made.cells}


def test_a_variant_for_gpus_is_left_out_on_a_cpu_and_said() -> None:
    """Not planned, with the reason."""
    made = plan(Request("smoke", "cpu"), offers=[*OFFERS, offer("graph", devices=("cuda",))])

    assert [("graph", "does not run on cpu")] == [(x.workload, x.reason) for x in made.left_out]


def test_nothing_left_is_wrong_input() -> None:
    """An empty run is no run."""
    with pytest.raises(InputError, match="Nothing is left"):
        plan(Request("smoke", "cpu"), offers=[offer("graph", devices=("cuda",))])


def test_estimate_and_limit() -> None:
    """The sum of its trials; a limit of ten times the estimate between 2 minutes and an hour."""
    slow = {p: {"cpu": 30.0, "cuda": 1.0} for p in ("smoke",)}
    made = plan(offers=[offer("a"), offer("b", seconds=slow)])
    limits = {t.cell.workload: made.limit(t) for t in made.trials}

    assert 62.0 == made.estimate_s
    assert {"a": 120.0, "b": 300.0} == limits
    assert {5.0} == set(plan(Request("smoke", "cpu", timeout_s=5)).limits_s.values())


def test_a_plan_survives_its_file() -> None:
    """Written as JSON and read back."""
    made = plan(Request("published", "cuda", seed=3))

    assert made == Plan.from_dict(json.loads(json.dumps(made.to_dict())))


NAMES = {"environment": "e", "device": "cpu", "workload": "w", "variant": "v", "round": 0}


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"schema": None},
        {"trials": 1},
        {"unknown": 1},
        {"limits_s": {}},
        {"trials": [{**NAMES, "environment": "../x"}]},
        {"trials": [{**NAMES, "environment": 1}]},
        {"trials": [{**NAMES, "round": -1}]},
    ],
    ids=str,
)
def test_a_damaged_plan_is_refused(change: Any) -> None:
    """As a result that cannot be used, never a traceback."""
    with pytest.raises(ResultError):
        Plan.from_dict({**plan().to_dict(), **change})


@pytest.mark.parametrize("name", ["a__b", "../x", "", ".x", "a/b", "x" * 65, "a b", "é", "a_"])
def test_a_name_that_cannot_be_part_of_a_file_name_is_refused(name: str) -> None:
    """Before anything is written."""
    with pytest.raises(InputError):
        Cell(name, "cpu", "matmul", "fp32")


def test_the_file_names_of_a_plan_are_distinct() -> None:
    """Names hold no double underscore, so no two trials share a file."""
    made = plan(Request("published", "cuda"))

    assert len(made.trials) == len({t.file for t in made.trials})
    assert "a__cpu__m__v__r2.json" == PlannedTrial(Cell("a", "cpu", "m", "v"), 2).file


def test_the_real_suite_can_be_planned() -> None:
    """Every preset of the registry, on both devices."""
    suite = offers(registry.load())

    for preset in ("smoke", "quick", "full", "published"):
        for device in ("cpu", "cuda"):
            assert plan(Request(preset, device), offers=suite).estimate_s > 0
    assert DESCRIPTIONS
