"""The page in a real browser, from the file system: it shows, fits, sorts, filters, and is told."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

WIDTHS = (1400, 390)
SCHEMES = ("light", "dark")
PAGES = ("en", "zh", "hostile")
OVERFLOWING = """() => [...document.querySelectorAll('body *')].filter(element =>
    element.getBoundingClientRect().right > document.documentElement.clientWidth + 1
    && !element.closest('.scroll, svg, pre')).map(element => element.outerHTML.slice(0, 200))"""
TEXTS = """() => [...document.querySelectorAll('svg')].map(svg => [svg.getAttribute('role'),
    svg.getAttribute('aria-labelledby').split(' ')
       .map(id => document.getElementById(id).textContent).every(text => text.length > 0)])"""


@contextmanager
def opened(
    browser: Browser,
    path: Path,
    *,
    width: int = 1400,
    scheme: Literal["light", "dark"] = "light",
    script: bool = True,
) -> Iterator[tuple[Page, list[str]]]:
    """The page in a window of this width, and what the browser complained about."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme,
                                  java_script_enabled=script)  # fmt: skip
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda r: None if r.url == path.as_uri() else complaints.append(r.url))
    page.goto(path.as_uri())
    yield page, complaints
    context.close()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_it_opens_without_complaint_and_fits(
    browser: Browser, reports: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    """No message in the console, no request, nothing wider than the window, also unfolded."""
    with opened(browser, reports[name], width=width, scheme=scheme) as (page, complaints):
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        inside = page.evaluate("document.documentElement.scrollWidth")
        overflowing = page.evaluate(OVERFLOWING)

    assert [] == complaints
    assert width >= inside
    assert [] == overflowing


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["en", "zh"])
def test_an_accessibility_checker_finds_no_fault(
    browser: Browser, reports: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    """axe, every rule it has, colours in both schemes included."""
    with opened(browser, reports[name], width=width, scheme=scheme) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        found = Axe().run(page).response["violations"]

    assert [] == [(v["id"], v["impact"], v["nodes"][0]["html"][:200]) for v in found]


@pytest.mark.parametrize("name", PAGES)
def test_every_plot_has_a_text_alternative(
    browser: Browser, reports: dict[str, Path], name: str
) -> None:
    """A role, a title and a description that is not empty."""
    with opened(browser, reports[name]) as (page, _):
        told = page.evaluate(TEXTS)

    assert len(told) > 5
    assert all(one == ["img", True] for one in told)


def test_rows_sort_by_every_key(browser: Browser, reports: dict[str, Path]) -> None:
    """A click on a heading sorts, a second one turns it round; rows without a value stay last."""
    with opened(browser, reports["en"]) as (page, _):
        page.click("th[data-key=ratio] button")
        up = ratios(page)
        said = page.get_attribute("th[data-key=ratio]", "aria-sort")
        page.click("th[data-key=ratio] button")
        down = ratios(page)
        page.select_option("select[name=sort]", "name")
        names = page.eval_on_selector_all(
            ".results tbody tr", "rows => rows.map(r => r.dataset.name)"
        )

    known = [value for value in up if value]
    assert "ascending" == said
    assert sorted(known, key=float) == known == up[: len(known)]
    assert known[::-1] == down[: len(known)]
    assert sorted(names, reverse=True) == names


def test_rows_filter_by_text_verdict_and_status(browser: Browser, reports: dict[str, Path]) -> None:
    """What does not fit is hidden, and the number of rows shown is said."""
    with opened(browser, reports["zh"]) as (page, _):
        total = shown(page)
        page.fill("input[name=text]", "svd")
        by_text = shown(page)
        page.fill("input[name=text]", "")
        page.select_option("select[name=kind]", "faster")
        by_verdict = shown(page)
        page.select_option("select[name=kind]", "")
        page.select_option("select[name=status]", "timeout")
        by_status = shown(page)
        said = page.text_content("output")

    assert total > 10
    assert (1, 1) == (by_text, by_status)
    assert 0 < by_verdict < total
    assert f"{total} 项中的 1 项" == said


def test_it_is_read_without_script(browser: Browser, reports: dict[str, Path]) -> None:
    """All rows are there; the controls, which would do nothing, are not."""
    with opened(browser, reports["en"], script=False) as (page, complaints):
        rows = page.locator(".results tbody tr:visible").count()
        controls = page.locator(".controls").is_visible()

    assert rows > 10
    assert not controls
    assert all("script" in text.lower() for text in complaints)


def test_a_link_opens_the_row_it_names(browser: Browser, reports: dict[str, Path]) -> None:
    """From the answer to the table."""
    with opened(browser, reports["en"]) as (page, _):
        page.click(".count a")
        target = page.locator("tr:target").count()

    assert 1 == target


def ratios(page: Page) -> list[str]:
    return page.eval_on_selector_all(".results tbody tr", "rows => rows.map(r => r.dataset.ratio)")


def shown(page: Page) -> int:
    return page.locator(".results tbody tr:visible").count()
