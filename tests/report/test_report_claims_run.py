"""Claims against runs: the rules of docs/design.md, on run folders made to order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from report_helpers import GPU, IDENTITY, NEW, OLD, SHARED, dump, faulty, trial, write_run

from core.errors import InputError
from core.records import TrialResult
from core.status import Flag, TrialStatus
from report.claims.against import ClaimVerdict, RunResult, direction, place
from report.claims.evidence import read_run
from report.claims.judge import judge
from report.claims.load import load_articles
from report.merge import merge

SETTINGS = {"size": 4096, "dtype": "float32", "matmul_tf32": False, "cudnn_tf32": False}
RYZEN = "AMD Ryzen 9 7950X 16-Core Processor"
SPREAD = (0.999, 1.001, 1.0)


def rounds(
    environment: str, seconds: float, *, spread: tuple[float, ...] = SPREAD, **changes: Any
) -> list[TrialResult]:
    """Trials of A1's product, one per factor of the spread; on the claimed card unless changed."""
    card = changes.pop("card", GPU["gpu"])
    cpu = changes.pop("cpu", "EPYC")
    fields: dict[str, Any] = {"device": "cuda", "settings": SETTINGS, "metrics": {}, **changes}
    gpu = {**GPU, "gpu": card} if fields["device"] == "cuda" else {}
    identity = {**SHARED, **IDENTITY[environment], **gpu, "cpu": cpu}
    return [
        trial(environment, number, seconds * factor, identity=identity, **fields)
        for number, factor in enumerate(spread)
    ]


def judged(folder: Path, trials: list[TrialResult], claim: str, **options: Any) -> RunResult:
    """The verdict on one claim; a claim without one fails the test."""
    write_run(folder / "run", trials, **options)
    return verdicts(folder / "run")[claim]


def verdicts(run: Path) -> dict[str, RunResult]:
    judgement = judge(load_articles(), evidence=read_run(run))
    return {claim.figure.id: claim.run for claim in judgement.claims if claim.run}


def conditions(result: RunResult) -> set[str]:
    return {unmet.condition for unmet in result.unmet}


def test_a_figure_within_ten_percent_is_reproduced(tmp_path: Path) -> None:
    """100 products at 8.7 ms are the claimed 0.87 s."""
    result = judged(tmp_path, rounds(NEW, 0.0089), "A1.new")

    assert ClaimVerdict.REPRODUCED is result.verdict
    assert result.here is not None
    assert (0.89, 3) == (round(result.here.value, 4), result.here.n)


def test_a_figure_wholly_outside_is_not_reproduced(tmp_path: Path) -> None:
    """0.27 s, what a public reading suggests, is not 0.87 s."""
    result = judged(tmp_path, rounds(NEW, 0.0027), "A1.new")

    assert ClaimVerdict.NOT_REPRODUCED is result.verdict


def test_a_ratio_is_paired_by_round(tmp_path: Path) -> None:
    """Both sides drift alike; their ratio does not, and holds the claimed 2.17×."""
    drift = (1.0, 1.3, 1.6, 1.9)
    trials = rounds(OLD, 0.0434, spread=drift) + rounds(NEW, 0.02, spread=drift)

    result = judged(tmp_path, trials, "A1.new-vs-old")

    assert ClaimVerdict.REPRODUCED is result.verdict
    assert result.here is not None
    assert 2.17 == pytest.approx(result.here.value)


def test_a_smaller_gain_is_the_direction_only(tmp_path: Path) -> None:
    """1.5× where 2.17× was claimed: faster, but not by that much."""
    trials = rounds(OLD, 0.015) + rounds(NEW, 0.010)

    assert ClaimVerdict.DIRECTION_ONLY is judged(tmp_path, trials, "A1.new-vs-old").verdict


def test_a_loss_is_not_reproduced(tmp_path: Path) -> None:
    """The new one slower than the old one."""
    trials = rounds(OLD, 0.010) + rounds(NEW, 0.015)

    assert ClaimVerdict.NOT_REPRODUCED is judged(tmp_path, trials, "A1.new-vs-old").verdict


def test_an_interval_across_the_edge_is_inconclusive(tmp_path: Path) -> None:
    """A wide interval that reaches into the band tells nothing."""
    result = judged(tmp_path, rounds(NEW, 0.0094, spread=(0.9, 1.0, 1.1)), "A1.new")

    assert ClaimVerdict.INCONCLUSIVE is result.verdict


def test_one_round_is_inconclusive(tmp_path: Path) -> None:
    """One number shows no spread."""
    result = judged(tmp_path, rounds(NEW, 0.0087, spread=(1.0,)), "A1.new")

    assert ClaimVerdict.INCONCLUSIVE is result.verdict


def test_another_card_is_not_tested_and_its_ratio_stands_beside(tmp_path: Path) -> None:
    """On an H200 the value is not tested, the card is named, the ratio measured is information."""
    trials = rounds(OLD, 0.006, card="NVIDIA H200") + rounds(NEW, 0.003, card="NVIDIA H200")

    result = judged(tmp_path, trials, "A1.new-vs-old")

    assert (ClaimVerdict.NOT_TESTED, {"card"}) == (result.verdict, conditions(result))
    assert "card: NVIDIA GeForce RTX 4090 D claimed, here NVIDIA H200" == result.reason
    assert result.here is not None
    assert 2 == pytest.approx(result.here.value)


def test_a_plain_4090_is_another_card(tmp_path: Path) -> None:
    """Its name is the beginning of the claimed one, and it has more multiprocessors."""
    trials = rounds(NEW, 0.0087, card="NVIDIA GeForce RTX 4090")

    assert {"card"} == conditions(judged(tmp_path, trials, "A1.new"))


def test_another_size_is_not_tested(tmp_path: Path) -> None:
    """2048 is not the claimed 4096."""
    trials = rounds(NEW, 0.0087, settings={**SETTINGS, "size": 2048})

    assert {"size"} == conditions(judged(tmp_path, trials, "A1.new"))


def test_another_torch_is_not_tested(tmp_path: Path) -> None:
    """A run of 1.13 alone says nothing of 2.8; what it measured stands beside."""
    result = judged(tmp_path, rounds(OLD, 0.0087), "A1.new", environments=[OLD])

    assert {"PyTorch"} == conditions(result)
    assert result.here is not None


def test_one_side_alone_gives_no_ratio(tmp_path: Path) -> None:
    """The same cell is never set against itself in the place of two."""
    result = judged(tmp_path, rounds(OLD, 0.0087), "A1.new-vs-old", environments=[OLD])

    assert (ClaimVerdict.NOT_TESTED, None) == (result.verdict, result.here)


def test_a_cpu_row_binds_the_processor(tmp_path: Path) -> None:
    """The articles' CPU figures are of a Ryzen 9 7950X."""
    other = judged(tmp_path / "a", rounds(NEW, 0.5872, device="cpu"), "A1.cpu")
    same = judged(tmp_path / "b", rounds(NEW, 0.5872, device="cpu", cpu=RYZEN), "A1.cpu")

    assert {"CPU"} == conditions(other)
    assert ClaimVerdict.REPRODUCED is same.verdict


def test_the_processor_is_a_difference_beside_a_gpu_row(tmp_path: Path) -> None:
    """Bundled CUDA, cuDNN and the host's processor do not bind; they are listed."""
    result = judged(tmp_path, rounds(NEW, 0.0087), "A1.new")
    listed = {difference.what: difference.here for difference in result.differences}

    assert ClaimVerdict.REPRODUCED is result.verdict
    assert {"CUDA", "cuDNN", "CPU"} <= set(listed)
    assert "12.8 (in the wheel)" == listed["CUDA"]
    assert "whether the 100 products were themselves repeated 100 times" in listed


def test_gpu_against_cpu_needs_both(tmp_path: Path) -> None:
    """67× is the GPU against the processor; a run with both answers it."""
    gpu, cpu = rounds(NEW, 0.0087), rounds(NEW, 0.58, device="cpu", cpu=RYZEN)

    assert ClaimVerdict.REPRODUCED is judged(tmp_path, gpu + cpu, "A1.new-vs-cpu").verdict


@pytest.mark.parametrize("flag", [Flag.NOISY, Flag.THROTTLED])
def test_a_known_cause_caps_the_verdict(tmp_path: Path, flag: Flag) -> None:
    """A noisy or throttled trial is no evidence either way."""
    result = judged(tmp_path, rounds(NEW, 0.0087, flags=(flag.value,)), "A1.new")

    assert ClaimVerdict.INCONCLUSIVE is result.verdict


def test_an_impossible_reading_is_no_evidence(tmp_path: Path) -> None:
    """Faster than the card: kept out, whatever its interval says."""
    result = judged(tmp_path, rounds(NEW, 0.0087, metrics={"flop_per_s": 1e15}), "A1.new")

    assert ClaimVerdict.INCONCLUSIVE is result.verdict
    assert "faster than the card" in result.reason


def test_a_failed_round_caps_and_a_lost_one_does_not(tmp_path: Path) -> None:
    """As in the report's own verdicts."""
    good = rounds(NEW, 0.0087)
    failed = faulty(NEW, 3, TrialStatus.FAILED, "wrong", device="cuda")
    lost = faulty(NEW, 3, TrialStatus.LOST, "gone", device="cuda")

    assert ClaimVerdict.INCONCLUSIVE is judged(tmp_path / "a", [*good, failed], "A1.new").verdict
    assert ClaimVerdict.REPRODUCED is judged(tmp_path / "b", [*good, lost], "A1.new").verdict


def test_an_unsupported_cell_is_not_tested_with_its_reason(tmp_path: Path) -> None:
    """1.13.1 on a Hopper card has no usable code."""
    trials = [faulty(OLD, r, TrialStatus.UNSUPPORTED, "no code", device="cuda") for r in (0, 1)]

    result = judged(tmp_path, trials, "A1.old")

    assert "result: matmul/fp32 claimed, here unsupported: no code" == result.reason


def test_unequal_settings_or_code_are_not_set_against_each_other(tmp_path: Path) -> None:
    """Two seeds multiply two matrices; two suites may measure two things."""
    olds = rounds(OLD, 0.0189)
    seeds = rounds(NEW, 0.0087, settings={**SETTINGS, "seed": 1})
    code = rounds(NEW, 0.0087, code_hash="d" * 64)

    assert {"seed alike"} == conditions(judged(tmp_path / "a", olds + seeds, "A1.new-vs-old"))
    assert {"code"} == conditions(judged(tmp_path / "b", olds + code, "A1.new-vs-old"))


def test_the_articles_own_loop_is_preferred_where_it_was_played(tmp_path: Path) -> None:
    """A1 is a total of 100 products; the published preset measures exactly that."""
    loop = {"article_total_s": 0.87, "article_calls": 100, "article_warmups": 10}
    result = judged(tmp_path, rounds(NEW, 0.005, metrics=loop), "A1.new")

    assert ClaimVerdict.REPRODUCED is result.verdict
    assert "timing" not in {difference.what for difference in result.differences}


def test_steady_state_does_not_answer_for_a_loop_with_compilation(tmp_path: Path) -> None:
    """B1's 100 steps have no warm-up; a median of warm steps is information only."""
    b1 = {"workload": "compile_resnet50", "variant": "compiled"}
    settings = {"batch": 64, "size": 224, "dtype": "float32"}
    steady = rounds(NEW, 0.427, settings=settings, **b1)
    loop = {"article_total_s": 42.7, "article_calls": 100, "article_warmups": 0}
    whole = rounds(NEW, 0.3, settings=settings, metrics=loop, **b1)

    warm = rounds(NEW, 0.3, settings=settings, metrics={**loop, "article_warmups": 10}, **b1)

    assert {"timing"} == conditions(judged(tmp_path / "a", steady, "B1.compiled"))
    assert {"timing"} == conditions(judged(tmp_path / "c", warm, "B1.compiled"))
    result = judged(tmp_path / "b", whole, "B1.compiled")
    assert result.here is not None
    assert (42.7, set()) == (pytest.approx(result.here.value), conditions(result))


def test_up_to_asks_the_largest_ratio_and_needs_them_all(tmp_path: Path) -> None:
    """A row that was not measured could be the one."""
    trials = rounds(OLD, 0.08) + rounds(NEW, 0.01)

    result = judged(tmp_path, trials, "A6.up-to-8")

    assert ClaimVerdict.NOT_TESTED is result.verdict
    assert {"workload"} == conditions(result)


def test_up_to_is_reproduced_by_the_largest_ratio_alone(tmp_path: Path) -> None:
    """8× in one row and 2× in the others is *up to 8×*."""
    sigmoid = {"count": 10_000_000, "dtype": "float32"}
    amp = {"size": 224, "dtype": "float32"}
    svd = {"size": 2048, "dtype": "float32"}
    trials = rounds(OLD, 0.02) + rounds(NEW, 0.01)
    trials += rounds(OLD, 0.8, workload="svd", settings=svd)
    trials += rounds(NEW, 0.1, workload="svd", settings=svd)
    for name, seconds in ((OLD, 0.002), (NEW, 0.001)):
        cell = {"workload": "sigmoid", "variant": "extension", "settings": sigmoid}
        trials += rounds(name, seconds, **cell)
        rate = {"samples_per_s": 64 / seconds}
        cell = {"workload": "resnet50", "variant": "amp", "settings": amp, "metrics": rate}
        trials += rounds(name, seconds, **cell)

    result = judged(tmp_path, trials, "A6.up-to-8")

    assert ClaimVerdict.REPRODUCED is result.verdict
    assert result.here is not None
    assert 8 == pytest.approx(result.here.value)


def test_every_claim_of_a_cpu_run_is_not_tested_with_its_reason(tmp_path: Path) -> None:
    """Issue 5, must show 4: each GPU claim names the device."""
    trials = rounds(OLD, 0.06, device="cpu") + rounds(NEW, 0.02, device="cpu")
    write_run(tmp_path / "run", trials)

    found = verdicts(tmp_path / "run")

    assert {ClaimVerdict.NOT_TESTED} == {result.verdict for result in found.values()}
    without = [n for n, r in found.items() if "device: cuda claimed, here cpu" not in r.reason]
    assert ["A1.cpu", "A2.cpu", "A5"] == without


def test_a_gpu_cpu_ratio_gets_no_figure_from_a_cpu_alone(tmp_path: Path) -> None:
    """Two environments on one processor are no GPU against a processor."""
    trials = rounds(OLD, 0.06, device="cpu") + rounds(NEW, 0.02, device="cpu")

    assert judged(tmp_path, trials, "A1.old-vs-cpu").here is None


def test_a_report_alone_tells_no_sizes(tmp_path: Path) -> None:
    """report.json without its trials: the claim is not tested, for want of settings."""
    folder = write_run(tmp_path / "run", rounds(NEW, 0.0087))
    (tmp_path / "alone").mkdir()
    dump(tmp_path / "alone" / "report.json", merge(folder))

    result = verdicts(tmp_path / "alone" / "report.json")["A1.new"]

    assert (ClaimVerdict.NOT_TESTED, {"settings"}) == (result.verdict, conditions(result))
    assert result.here is not None
    assert 0.87 == pytest.approx(result.here.value)


def test_a_folder_with_a_damaged_trial_is_judged_by_the_others(tmp_path: Path) -> None:
    """One bad file is one bad round."""
    folder = write_run(tmp_path / "run", rounds(NEW, 0.0087, spread=(*SPREAD, 1.0)))
    sorted((folder / "trials").iterdir())[0].write_text("{", encoding="utf-8")

    result = verdicts(folder)["A1.new"]

    assert ClaimVerdict.REPRODUCED is result.verdict
    assert result.here is not None
    assert 3 == result.here.n


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    """The error names what to hand over."""
    with pytest.raises(InputError, match="holds no run"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("interval", "at_least", "expected"),
    [
        ((1.9, 2.1), False, ClaimVerdict.REPRODUCED),
        ((2 / 1.1, 2 * 1.1), False, ClaimVerdict.REPRODUCED),
        ((1.7, 2.0), False, ClaimVerdict.INCONCLUSIVE),
        ((2.1, 2.3), False, ClaimVerdict.INCONCLUSIVE),
        ((1.5, 1.7), False, ClaimVerdict.DIRECTION_ONLY),
        ((3.0, 3.2), False, ClaimVerdict.DIRECTION_ONLY),
        ((1.01, 1.7), False, ClaimVerdict.NOT_REPRODUCED),
        ((0.5, 0.7), False, ClaimVerdict.NOT_REPRODUCED),
        ((3.0, 3.2), True, ClaimVerdict.REPRODUCED),
        ((1.7, 3.2), True, ClaimVerdict.INCONCLUSIVE),
    ],
)
def test_where_an_interval_lies_decides(
    interval: tuple[float, float], *, at_least: bool, expected: ClaimVerdict
) -> None:
    """A claim of 2× with 10 %: the band is 1.82 to 2.2, open above for *at least*."""
    found, _ = place((2, 2), interval, tolerance=0.1, at_least=at_least, faster_from=1.02)

    assert expected is found


def test_a_figure_has_no_direction() -> None:
    """Seconds outside the band are not reproduced, whichever way."""
    found, _ = place((2, 2), (3, 4), tolerance=0.1)

    assert ClaimVerdict.NOT_REPRODUCED is found


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((1.1, 1.3), ClaimVerdict.REPRODUCED),
        ((0.99, 1.01), ClaimVerdict.NOT_REPRODUCED),
        ((0.9, 1.3), ClaimVerdict.INCONCLUSIVE),
    ],
)
def test_a_direction_is_faster_or_not(
    interval: tuple[float, float], expected: ClaimVerdict
) -> None:
    """Within the margin nothing is faster."""
    assert expected is direction(interval, faster_from=1.02)[0]
