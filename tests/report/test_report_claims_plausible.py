"""Our own rows: what is faster than the card is flagged and kept out of ratios and means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from report_helpers import GPU, IDENTITY, NEW, OLD, SHARED, pair, write_run

from report.claims.cards import load_cards
from report.claims.plausibility import CLOCK_METRIC, implausible, precision_of
from report.merge import merge

CARD = load_cards()["rtx4090d"]
FP32 = {"dtype": "float32", "matmul_tf32": False, "cudnn_tf32": False}


def test_a_rate_below_every_limit_is_plausible() -> None:
    """The public reading of the 4090 D: 50 TFLOP/s in FP32."""
    assert implausible({"flop_per_s": 50e12}, CARD, median_s=1e-3, precision="fp32") is None


def test_more_than_the_peak_is_not() -> None:
    """The reason names the rate, the limit and the card."""
    reason = implausible({"flop_per_s": 120e12}, CARD, median_s=1e-3, precision="fp32")

    assert "120 TFLOP/s is above the FP32 peak of 90.6 TFLOP/s of the " + CARD.title == reason


def test_the_precision_decides_the_peak() -> None:
    """120 TFLOP/s are possible in FP16; where nobody says, the fastest counts."""
    rates = {"flop_per_s": 120e12}

    assert implausible(rates, CARD, median_s=1e-3, precision="fp16") is None
    assert implausible(rates, CARD, median_s=1e-3) is None


def test_the_sampled_clock_makes_the_limit_tighter() -> None:
    """80 TFLOP/s need more than the 2520 MHz that were sampled."""
    rates = {"flop_per_s": 80e12}

    assert implausible(rates, CARD, median_s=1e-3, precision="fp32") is None
    assert implausible({**rates, CLOCK_METRIC: 2520}, CARD, median_s=1e-3, precision="fp32")


@pytest.mark.parametrize(
    ("moved", "options", "possible"),
    [(80e6, {}, True), (80e6, {"cold": True}, False), (2e9, {}, False)],
)
def test_the_memory_binds_cold_samples_and_large_working_sets(
    moved: float, options: dict[str, bool], *, possible: bool
) -> None:
    """2 TB/s: from a warm cache of 72 MiB perhaps, from memory never."""
    found = implausible({"bytes_per_s": 2e12}, CARD, median_s=moved / 2e12, **options)

    assert possible == (found is None)


def test_an_unknown_card_is_not_judged() -> None:
    """No limit, no verdict."""
    assert implausible({"flop_per_s": 1e18}, None, median_s=1e-3) is None


def test_values_that_are_no_numbers_are_not_judged() -> None:
    """A damaged metric is nothing."""
    assert implausible({"flop_per_s": "fast", CLOCK_METRIC: None}, CARD, median_s=1.0) is None


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (FP32, "fp32"),
        ({**FP32, "matmul_tf32": True}, "tf32"),
        ({**FP32, "autocast": "float16"}, "fp16"),
        ({"dtype": "bfloat16"}, "fp16"),
        ({"dtype": "int8"}, None),
        ({}, None),
    ],
)
def test_the_settings_tell_the_precision(settings: dict[str, Any], expected: str | None) -> None:
    """Unknown settings are judged by the card's fastest."""
    assert expected == precision_of(settings)


def merged(folder: Path, news: float, **changes: Any) -> dict[str, Any]:
    """A report of one product on the 4090 D; ``news`` is the rate that the new side claims."""
    trials = pair([0.02] * 3, [0.01] * 3, device="cuda", settings=FP32, **changes)
    for one in trials:
        rate = news if one.environment == NEW else 40e12
        object.__setattr__(one, "metrics", {"flop_per_s": rate})
    return merge(write_run(folder / "run", trials))


def test_an_impossible_row_is_flagged_and_kept_out_of_ratio_and_mean(tmp_path: Path) -> None:
    """Twice as fast, at 500 TFLOP/s in FP32: a measurement gone wrong."""
    report = merged(tmp_path, 500e12)
    row = report["rows"][0]

    assert ["implausible"] == row["results"][NEW]["flags"]
    assert [] == row["results"][OLD]["flags"]
    assert ("not comparable", ["implausible"], None) == tuple(
        row["comparisons"][NEW][key] for key in ("verdict", "codes", "ratio")
    )
    assert "500 TFLOP/s is above the FP32 peak" in row["comparisons"][NEW]["reason"]
    assert (None, 0, 1) == tuple(report["means"][0][key] for key in ("ratio", "used", "of"))


def test_a_possible_row_keeps_its_ratio(tmp_path: Path) -> None:
    """The same trials at a rate the card can do."""
    report = merged(tmp_path, 80e12)

    assert [] == report["rows"][0]["results"][NEW]["flags"]
    assert 2 == pytest.approx(report["rows"][0]["comparisons"][NEW]["ratio"])


def test_a_card_that_is_not_known_is_left_alone(tmp_path: Path) -> None:
    """Another card has other limits."""
    identity = {**SHARED, **IDENTITY[NEW], **GPU, "gpu": "NVIDIA Something Else"}

    report = merged(tmp_path, 500e12, identity=identity)

    assert [] == report["rows"][0]["results"][NEW]["flags"]
