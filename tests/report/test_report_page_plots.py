"""Plots: text alternatives, hostile names, axes."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from page_helpers import HOSTILE, whole
from report_helpers import NEW, OLD, pair, write_run

from report.merge import merge
from report.page import draw, plots, svg
from report.page.forest import NARROW, WIDE, Mark, forest
from report.page.pairs import views
from report.page.scale import Scale, ratio_scale, time_scale
from report.schema import load
from report.verdict import Verdict
from report.words import words


def mark(name: str = "matmul/fp32", ratio: float | None = 2.0, low: float | None = 1.9,
         high: float | None = 2.1) -> Mark:  # fmt: skip
    return Mark(name, Verdict.FASTER, ratio, low, high, 0.02, "2.00× [1.900, 2.10]")


def texts(element: str) -> list[str]:
    return ["".join(text.itertext()) for text in ET.fromstring(element).iter("text")]


def drawn(*rows: Mark) -> str:
    raw = draw.svg(forest(rows, WIDE, words()))
    return svg.inline(raw, name="p", title=HOSTILE, description="about")


def test_a_plot_has_a_text_alternative() -> None:
    """It is an image with a title and a description, by ids that are its own."""
    root = ET.fromstring(drawn(mark()))
    ids = {element.attrib["id"]: element for element in root.iter() if "id" in element.attrib}

    assert "img" == root.attrib["role"]
    assert ["title", "desc"] == [ids[name].tag for name in root.attrib["aria-labelledby"].split()]
    assert all(name.startswith("p-") for name in ids)


def test_names_are_text_never_mathematics() -> None:
    """Dollar signs, tags and entities show as they are; the rest of the plot stays."""
    said = texts(drawn(mark("$\\frac{1}{0}$ <b>&amp;"), mark("$a_b$")))

    assert "$\\frac{1}{0}$ <b>&amp;" in said
    assert "$a_b$" in said


def test_colours_follow_the_page() -> None:
    """No fixed colour is left inside the page; a file beside it stands on white."""
    raw = draw.svg(forest([mark()], WIDE, words()))

    assert not re.search(r"(fill|stroke): #", drawn(mark()))
    assert 'fill="#ffffff"' in svg.standalone(raw, name="p", title="t", description="d")


def test_nothing_reaches_the_page_around_a_plot() -> None:
    """No style sheet, no namespace prefix, no height in points."""
    element = drawn(mark())

    assert "<style" not in element
    assert "xlink" not in element
    assert 'pt"' not in element


@pytest.mark.parametrize("layout", [WIDE, NARROW])
@pytest.mark.parametrize(
    ("ratio", "low", "high"),
    [(1.0, 1.0, 1.0), (1e-6, 1e-9, 1e5), (1e6, 1e-18, 1e15), (1.0, None, None), (None, None, None)],
)
def test_any_ratio_can_be_drawn(
    layout: object, ratio: float | None, low: float | None, high: float | None
) -> None:
    """Extreme values beside an ordinary one."""
    figure = forest([mark(), mark("other", ratio, low, high)], layout, words())  # type: ignore[arg-type]

    assert "other" in draw.svg(figure)


def test_numbers_beside_a_plot_are_those_of_the_table(tmp_path: Path) -> None:
    """The plot's texts and the table come from the same words."""
    data = merge(write_run(tmp_path / "run", pair([0.30, 0.31], [0.20, 0.21])))
    plot = plots.forests(views(load(data)), words())[0]

    assert any("1.488×" in text for text in texts(plot.wide))
    assert any("1.488×" in text for text in texts(plot.narrow))


def test_a_strip_shows_every_round(tmp_path: Path) -> None:
    """One circle per trial median, in every environment that was measured."""
    data = merge(write_run(tmp_path / "run", pair([0.30, 0.31, 0.32], [0.20, 0.21])))
    plot = plots.strips(load(data), words())[0]
    circles = list(ET.fromstring(plot.wide).iter("use"))

    assert 5 == len(circles)
    assert {OLD, NEW} <= set(texts(plot.wide))


def test_every_file_is_whole(tmp_path: Path) -> None:
    """Every SVG file parses and carries its title."""
    report = load(whole(tmp_path))
    made = [*plots.forests(views(report), words("zh")).values(),
            *plots.strips(report, words("zh")).values()]  # fmt: skip
    files = {name: body for plot in made for name, body in plot.files.items()}
    titles = [
        ET.fromstring(body).find("{http://www.w3.org/2000/svg}title")
        for name, body in files.items()
        if name.endswith(".svg")
    ]

    assert titles
    assert all(title is not None and title.text for title in titles)


def test_a_language_without_a_font_is_drawn_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture never shows boxes for letters; the SVG keeps its language."""
    monkeypatch.setattr(draw, "chinese_fonts", list)

    assert words("en") is plots._for_pictures(words("zh"))


@pytest.mark.parametrize(
    ("ratios", "ends"), [([1.0], [1.0]), ([0.03, 270], []), ([2.0], [1e-9, 1e9])]
)
def test_a_ratio_axis_holds_one_and_every_ratio(ratios: list[float], ends: list[float]) -> None:
    """Ends of intervals may lie outside; 1 is always a tick."""
    scale = ratio_scale(ratios, ends)

    assert all(scale.low < value < scale.high for value in [1.0, *ratios])
    assert scale.high / scale.low < 100 * max(ratios) / min(ratios)
    assert 1.0 in scale.ticks(6)
    assert len(scale.ticks(6)) <= 7


def test_times_far_apart_are_on_a_logarithmic_axis() -> None:
    """And near ones on a linear axis."""
    assert time_scale([1e-6, 1.0]).is_log
    assert not time_scale([1.0, 1.1]).is_log
    assert not time_scale([1.0, 1.0]).is_log


def test_positions_stay_inside() -> None:
    """A value beyond an end lies on it."""
    scale = Scale(0.5, 2.0)

    assert (0.0, 0.5, 1.0) == tuple(round(scale.position(v), 9) for v in (1e-9, 1.0, 1e9))
