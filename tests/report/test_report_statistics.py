"""Statistics against known truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from report.statistics import geometric_mean, log_ratios, paired_interval, rounds_needed, summary
from report.verdict import Code, Verdict, judge, margin_of

RUNS = 2000


def simulated(
    true_ratio: float, *, rounds: int, noise: float, seed: int
) -> list[list[list[float]]]:
    """Trial medians of many runs; ``noise`` is the relative spread of one side's trials."""
    source = np.random.default_rng(seed)
    olds = true_ratio * np.exp(source.normal(0, noise, (RUNS, rounds)))
    news = np.exp(source.normal(0, noise, (RUNS, rounds)))
    return [[list(map(float, o)), list(map(float, n))] for o, n in zip(olds, news, strict=True)]


def share(verdicts: set[Verdict], runs: list[list[list[float]]], margin: float) -> float:
    found = [judge(old, new, margin=margin).verdict for old, new in runs]
    return sum(verdict in verdicts for verdict in found) / len(found)


def test_the_ratio_is_the_geometric_mean_of_the_rounds() -> None:
    """Baseline over other: twice as fast is 2, whichever unit the times have."""
    interval = paired_interval([4.0, 2.0, 8.0], [2.0, 1.0, 4.0])

    assert interval is not None
    assert (2.0, 2.0, 2.0, 3) == tuple(
        round(x, 12) for x in (interval.ratio, interval.low, interval.high, interval.n)
    )


def test_the_interval_is_students_t_on_logarithms() -> None:
    """Two rounds, worked by hand: t(0.975, 1 degree of freedom) is 12.7062."""
    interval = paired_interval([1.1, 1.2], [1.0, 1.0])
    logs = [math.log(1.1), math.log(1.2)]
    centre, half = sum(logs) / 2, 12.7062 * abs(logs[1] - logs[0]) / 2

    assert interval is not None
    assert interval.low == pytest.approx(math.exp(centre - half), rel=1e-5)
    assert interval.high == pytest.approx(math.exp(centre + half), rel=1e-5)


def test_one_round_has_no_interval() -> None:
    """A single pair tells nothing about the spread between trials."""
    assert paired_interval([1.0], [2.0]) is None


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_time_is_refused(bad: float) -> None:
    """No non-finite or non-positive number ever enters a mean."""
    with pytest.raises(ValueError, match="finite and positive"):
        log_ratios([1.0, bad], [1.0, 1.0])


def test_unequal_counts_are_refused() -> None:
    """Pairs are pairs."""
    with pytest.raises(ValueError, match="pairs"):
        paired_interval([1.0, 2.0], [1.0])


def test_coverage_of_the_interval() -> None:
    """The true ratio lies inside the 95 % interval in 93 to 97 % of runs."""
    runs = simulated(1.3, rounds=6, noise=0.03, seed=1)
    intervals = [paired_interval(old, new) for old, new in runs]
    inside = sum(1 for i in intervals if i is not None and i.low <= 1.3 <= i.high) / RUNS

    assert 0.93 <= inside <= 0.97


@pytest.mark.parametrize("noise", [0.002, 0.01, 0.05])
@pytest.mark.parametrize("true_ratio", [1.0, 1.02, 1 / 1.02])
def test_false_alarms_stay_below_five_percent(true_ratio: float, noise: float) -> None:
    """Six fixed rounds, true ratio anywhere inside the margin: rarely faster or slower."""
    runs = simulated(true_ratio, rounds=6, noise=noise, seed=2)

    assert share({Verdict.FASTER, Verdict.SLOWER}, runs, 0.02) <= 0.05


def test_a_real_difference_is_never_called_none() -> None:
    """A true 5 % is called *no difference* in at most 5 % of runs."""
    runs = simulated(1.05, rounds=6, noise=0.01, seed=3)

    assert share({Verdict.NO_DIFFERENCE}, runs, 0.02) <= 0.05


def test_a_true_five_percent_is_found() -> None:
    """At 1 % noise of the paired ratio and the GPU's margin, six rounds find it."""
    runs = simulated(1.05, rounds=6, noise=0.01 / math.sqrt(2), seed=4)

    assert share({Verdict.FASTER}, runs, 0.02) >= 0.95


def test_a_rare_fast_value_does_not_win() -> None:
    """One lucky round among six does not make a side faster."""
    judgement = judge([1.0] * 6, [1.0, 1.01, 0.99, 1.0, 1.0, 0.2], margin=0.02)

    assert Verdict.INCONCLUSIVE is judgement.verdict


def test_means_clip_nothing() -> None:
    """A slow row pulls the geometric mean down as much as a fast one lifts it."""
    assert geometric_mean([4.0, 0.25]) == pytest.approx(1.0)
    assert geometric_mean([]) is None


@pytest.mark.parametrize("rounds", [2, 3, 5])
def test_fewer_than_six_rounds_never_show_no_difference(rounds: int) -> None:
    """Even where every round agrees to the last digit."""
    judgement = judge([1.0] * rounds, [1.0] * rounds, margin=0.02)

    assert (Verdict.INCONCLUSIVE, (Code.TOO_FEW_ROUNDS,), 6) == (
        judgement.verdict,
        judgement.codes,
        judgement.rounds_needed,
    )


def test_six_alike_rounds_show_no_difference() -> None:
    """Unless the preset is too small for that word."""
    assert Verdict.NO_DIFFERENCE is judge([1.0] * 6, [1.001] * 6, margin=0.02).verdict
    assert (Code.PRESET,) == judge([1.0] * 6, [1.0] * 6, margin=0.02, may_be_equal=False).codes


def test_a_known_cause_holds_the_verdict_at_inconclusive() -> None:
    """However clear the interval is; the cause comes first among the codes."""
    judgement = judge([2.0, 2.01, 1.99], [1.0, 1.0, 1.0], margin=0.02, caps=[Code.THROTTLED])

    assert Verdict.INCONCLUSIVE is judgement.verdict
    assert (Code.THROTTLED, Code.ABOVE_MARGIN) == judgement.codes


def test_slower_lies_below_one_over_one_plus_margin() -> None:
    """The two edges are symmetric on the logarithm."""
    assert Verdict.SLOWER is judge([1.0] * 3, [1.0201] * 3, margin=0.02).verdict
    assert Verdict.FASTER is judge([1.0201] * 3, [1.0] * 3, margin=0.02).verdict
    assert Verdict.INCONCLUSIVE is judge([1.0] * 3, [1.0199] * 3, margin=0.02).verdict


def test_rounds_needed_fits_the_t_interval() -> None:
    """With the number it names the same centre and spread would settle it; with one less not."""
    logs = [0.03, 0.05, 0.01]
    needed = rounds_needed(logs, margin=0.02, no_difference_from=6)
    spread, centre = float(np.std(logs, ddof=1)), float(np.mean(logs))

    assert needed is not None
    from scipy import stats

    def settled(n: int) -> bool:
        return bool(centre - stats.t.ppf(0.975, n - 1) * spread / math.sqrt(n) > math.log(1.02))

    assert (True, False) == (settled(needed), settled(needed - 1))


def test_rounds_needed_admits_that_none_would_do() -> None:
    """A centre on the edge of the margin is never settled."""
    edge = math.log(1.02)

    assert rounds_needed([edge - 0.1, edge + 0.1], margin=0.02, no_difference_from=6) is None


def test_margins() -> None:
    """2 % on a GPU, 5 % on a CPU, and never finer than the timer."""
    assert (0.05, 0.02) == (margin_of("cpu", block_s=1.0), margin_of("cuda", block_s=1.0))
    assert margin_of("cuda", block_s=5e-6) == pytest.approx(0.1)


def test_spread_over_rounds() -> None:
    """Extremes over the median."""
    assert summary([1.0, 2.0, 4.0]).relative == pytest.approx(1.5)
