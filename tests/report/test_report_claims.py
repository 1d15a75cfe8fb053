"""The articles that come with the tool: every published row, its arithmetic, its limit."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from core import jsonio
from report.claims import arithmetic, floor, terminal
from report.claims.arithmetic import Arithmetic
from report.claims.cards import load_cards
from report.claims.floor import Limit
from report.claims.judge import Judgement, dump, judge
from report.claims.load import Figure, library, load_articles
from report.claims.schema import Claim, Work
from workloads import registry

FIGURES = {
    "A1.cpu": 58.72, "A1.old": 1.89, "A1.new": 0.87,
    "A2.cpu": 4821, "A2.old": 356, "A2.new": 127,
    "A3.native": 5.62, "A3.old": 1.87, "A3.new": 0.49,
    "A4.fp32": 312, "A4.old-amp": 498, "A4.new-amp": 682,
    "A4.fp32-memory": 9.8, "A4.old-amp-memory": 6.2, "A4.new-amp-memory": 5.7,
    "B1.eager": 58.2, "B1.compiled": 42.7, "B2.eager": 76.5, "B2.compiled": 51.3,
    "B3.eager": 112.8, "B3.compiled": 89.4,
}  # fmt: skip
RATIOS = {
    "A1.old-vs-cpu": 31, "A1.new-vs-cpu": 67, "A1.new-vs-old": 2.17,
    "A2.old-vs-cpu": 13.5, "A2.new-vs-cpu": 38, "A2.new-vs-old": 3,
    "A3.old-vs-native": 3, "A3.new-vs-native": 11.5,
    "A4.old-vs-fp32": 1.6, "A4.new-vs-fp32": 2.2,
    "B1.compiled-vs-eager": 1.36, "B2.compiled-vs-eager": 1.49, "B3.compiled-vs-eager": 1.26,
}  # fmt: skip
HEADLINES = {"A5": [15, 20], "A6.up-to-8": [8], "A6.train-2-3": [2, 3]}
CARD = load_cards()["rtx4090d"]


@pytest.fixture(scope="module")
def known() -> dict[str, Figure]:
    return library(load_articles())


def changed(figure: Figure, **changes: object) -> Figure:
    return replace(figure, claim=figure.claim.model_copy(update=changes))


def printed(judgement: Judgement, width: int = 80) -> str:
    out = io.StringIO()
    terminal.render(judgement, Console(file=out, width=width))
    return out.getvalue()


def test_every_published_figure_and_ratio_is_there(known: dict[str, Figure]) -> None:
    """docs/facts.md, section 1, row by row: no more and no less."""
    published = {**{k: [v] for k, v in {**FIGURES, **RATIOS}.items()}, **HEADLINES}

    assert published == {name: list(figure.claim.value) for name, figure in known.items()}


def test_every_claim_names_a_variant_that_its_workload_has(known: dict[str, Figure]) -> None:
    """A claim on a workload of this suite could otherwise never be tested."""
    suite = registry.load()
    asked = {
        (cell.workload or figure.row.workload, cell.variant or figure.row.variant)
        for figure in known.values()
        if (cell := figure.claim.cell)
    }
    here = {(name, v.name) for name, workload in suite.items() for v in workload.variants}

    assert set() == {(w, v) for w, v in asked if w in suite} - here


@pytest.mark.parametrize("name", RATIOS)
def test_every_ratio_of_a_row_follows_from_that_row(known: dict[str, Figure], name: str) -> None:
    """The tables agree with themselves; "almost 3×" is 2.80×, within the tolerance."""
    assert Arithmetic.FOLLOWS is arithmetic.judge(known[name], known).status


def test_a_ratio_that_its_row_does_not_give_is_found(known: dict[str, Figure]) -> None:
    """3× where the row gives 2.17×: outside 10 %."""
    judged = arithmetic.judge(changed(known["A1.new-vs-old"], value=[3.0]), known)

    assert Arithmetic.DOES_NOT_FOLLOW is judged.status
    assert "1.89 / 0.87 = 2.17×: does not follow" == judged.bases[0].reason


def test_up_to_8_is_unsupported_under_every_reading(known: dict[str, Figure]) -> None:
    """The largest ratio of new against old is 3.8×; no other baseline gives 8× either."""
    judged = arithmetic.judge(known["A6.up-to-8"], known)
    largest = {b.label: round(max(s.ratio for s in b.steps), 1) for b in judged.bases}

    assert Arithmetic.DOES_NOT_FOLLOW is judged.status
    assert {
        "new against old": 3.8,
        "against native Python": 11.5,
        "against FP32": 2.2,
        "against a CPU": 67.5,
    } == largest


def test_up_to_8_looks_at_every_ratio_of_new_against_old(known: dict[str, Figure]) -> None:
    """Every row that has both versions takes part: none is left out of the headline's check."""
    basis = known["A6.up-to-8"].claim.bases[0]
    both = {
        (news.id, olds.id)
        for news in known.values()
        for olds in known.values()
        if news.claim.row == olds.claim.row
        and news.metric is olds.metric
        and news.metric.value != "GB"
        and (c := news.claim.cell)
        and (d := olds.claim.cell)
        and (c.environment, c.device) == ("new", "cuda")
        and (d.environment, d.device) == ("old", "cuda")
        and c.variant == d.variant
    }

    assert both == {(pair.of, pair.against) for pair in basis.pairs}


def test_2_to_3_is_supported_against_fp32_and_not_new_against_old(
    known: dict[str, Figure],
) -> None:
    """2.19× against FP32, 1.37× against the old version's AMP."""
    judged = arithmetic.judge(known["A6.train-2-3"], known)

    assert Arithmetic.IN_PART is judged.status
    assert {"against FP32": True, "new against old": False} == {
        b.label: b.follows for b in judged.bases
    }
    assert [2.19, 1.37] == [round(b.steps[0].ratio, 2) for b in judged.bases]


def test_b1_and_a4_contradict_each_other(known: dict[str, Figure]) -> None:
    """110 samples/s in one article, 312 in the other, for the same model on the same card."""
    agreement = arithmetic.judge(known["B1.eager"], known).agreements[0]

    assert not agreement.consistent
    assert ("A4.fp32", "samples/s", 110, 312) == (
        agreement.claim, agreement.unit, round(agreement.ours), agreement.theirs,
    )  # fmt: skip
    assert 2.8 == round(agreement.factor, 1)


def test_figures_that_agree_are_not_called_inconsistent(known: dict[str, Figure]) -> None:
    """B1 at 20.5 s would be 312 samples/s."""
    judged = arithmetic.judge(changed(known["B1.eager"], value=[20.5]), known)

    assert not judged.inconsistent


def test_a1_reaches_15_8_tflops_21_percent_of_the_peak(known: dict[str, Figure]) -> None:
    """docs/facts.md: 100 × 2 × 4096³ in 0.87 s; the limit itself is at the highest clock."""
    found = floor.judge(known["A1.new"], CARD)

    assert Limit.FAR is found.status
    assert found.reached.startswith("15.8 TFLOP/s, 21 % of the 73.5 TFLOP/s")
    assert found.limit == pytest.approx(100 * 2 * 4096**3 / (114 * 256 * 3105e6))
    assert "100 × 2 × 4096³ FLOP" in found.formulas[0]


def test_a3_is_six_times_what_the_memory_needs(known: dict[str, Figure]) -> None:
    """80 MB at 1008 GB/s are 0.079 ms; a warm cache could be faster, and the note says so."""
    found = floor.judge(known["A3.new"], CARD)

    assert (Limit.FAR, 6.2) == (found.status, round(found.factor or 0, 1))
    assert "warm cache" in found.note


def test_the_memory_binds_only_above_twice_the_cache(known: dict[str, Figure]) -> None:
    """Faster than the memory is possible from the cache, and impossible for 1 GB."""
    small = changed(known["A3.new"], value=[0.05])
    large = changed(small, value=[0.5], work=Work(bytes=[2, 4, 256_000_000]))

    assert Limit.POSSIBLE is floor.judge(small, CARD).status
    assert Limit.BEATS is floor.judge(large, CARD).status


def test_more_operations_than_the_card_can_do_beat_the_limit(known: dict[str, Figure]) -> None:
    """0.1 s for A1 would be 137 TFLOP/s in FP32; a count that is no least one accuses nobody."""
    fast = changed(known["A1.new"], value=[0.1])
    counted = Work(flop=[2, 4096, 4096, 4096], least=False)

    assert Limit.BEATS is floor.judge(fast, CARD).status
    assert Limit.POSSIBLE is floor.judge(changed(fast, work=counted), CARD).status


def test_a_rate_is_held_against_the_rate_that_the_card_allows(known: dict[str, Figure]) -> None:
    """Samples/s: more is better, so the limit lies above the figure."""
    found = floor.judge(known["A4.new-amp"], CARD)

    assert found.limit == pytest.approx(114 * 512 * 3105e6 / 24_299_077_632)
    assert found.factor == pytest.approx((found.limit or 0) / 682)


def test_no_published_figure_beats_its_card(known: dict[str, Figure]) -> None:
    """The articles are slower than the card, never faster."""
    statuses = {name: floor.judge(figure, CARD).status for name, figure in known.items()}

    assert [] == [name for name, status in statuses.items() if status is Limit.BEATS]
    assert Limit.NONE is statuses["A1.cpu"] is statuses["B2.eager"]


def test_public_readings_of_the_4090d_stay_below_its_limits() -> None:
    """docs/facts.md, section 3: 152.64 FP16 TFLOP/s are above 2520 MHz, below the highest clock."""
    assert CARD.peak("fp32") > 50.07e12
    assert CARD.peak("fp16") > 152.64e12 > CARD.peak("fp16", CARD.boost_mhz)
    assert 73.5e12 == pytest.approx(CARD.peak("fp32", 2520), rel=1e-3)
    assert 147.1e12 == pytest.approx(CARD.peak("fp16", 2520), rel=1e-3)


def test_every_limit_of_every_card_names_its_source() -> None:
    """A number without a source is a rumour."""
    wanted = {
        "multiprocessors", "flop_per_clock", "boost_mhz", "highest_mhz", "bandwidth_gb_s",
        "l2_mib", "memory_gib",
    }  # fmt: skip

    for card in load_cards().values():
        assert wanted == {name for source in card.sources for name in source.of}


def test_the_page_says_it_in_plain_words_within_80_columns() -> None:
    """The verdicts of the issue stand in the first paragraph."""
    page = printed(judge(load_articles()))
    flat = " ".join(page.split())

    assert "A6.up-to-8 (“up to 8× in matrix products, kernels and the like”) is not" in flat
    assert "is supported against FP32, not new against old" in flat
    assert "B1.eager is inconsistent with A4.fp32" in flat
    assert "has no such argument" in flat
    assert all(name in page for name in (*FIGURES, *RATIOS, *HEADLINES))
    assert [] == [line for line in page.splitlines() if len(line) > 80]


def test_the_json_is_strict_and_holds_every_claim_with_its_formula() -> None:
    """What another program reads."""
    data = json.loads(jsonio.dumps(dump(judge(load_articles()))))
    claims = {c["id"]: c for article in data["articles"] for c in article["claims"]}

    assert data["run"] is None
    assert {*FIGURES, *RATIOS, *HEADLINES} == set(claims)
    assert (
        "58.72 / 1.89" == claims["A1.old-vs-cpu"]["arithmetic"]["bases"][0]["steps"][0]["formula"]
    )
    assert "far from the limit" == claims["A1.new"]["floor"]["status"]


def test_one_article_can_be_chosen_and_still_be_held_against_the_other() -> None:
    """B1's contradiction with A4 shows although only article B is asked for."""
    judged = judge(load_articles(), chosen=["article-b"])

    assert {"article-b"} == {claim.figure.article for claim in judged.claims}
    assert any(claim.arithmetic.inconsistent for claim in judged.claims)


def test_kinds_ask_for_what_they_mean(known: dict[str, Figure]) -> None:
    """*At least* takes more than its value, *about* does not, *direction* takes any gain."""

    def fits(ratios: list[float], **fields: object) -> bool:
        claim = Claim.model_validate({"id": "X", "row": "A1", "says": "x", **fields})
        figure = replace(known["A1.new-vs-old"], claim=claim)
        return arithmetic.fits(figure, ratios)

    assert fits([1.2, 7.9], kind="up to", value=8, metric="ratio")
    assert not fits([7.9, 12], kind="up to", value=8, metric="ratio")
    assert not fits([1.2, 7.9], kind="about", value=8, metric="ratio")
    assert fits([5.0], kind="at least", value=2, metric="ratio")
    assert not fits([1.7], kind="at least", value=2, metric="ratio")
    assert not fits([5.0], kind="about", value=2, metric="ratio")
    assert fits([1.01], kind="direction", metric="ratio")
    assert not fits([0.99], kind="direction", metric="ratio")
    assert fits([1.17], kind="range", value=[15, 20], metric="percent")
    assert not fits([1.5], kind="range", value=[15, 20], metric="percent")
