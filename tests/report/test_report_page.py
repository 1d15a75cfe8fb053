"""report.html: complete, self-contained, and text whatever the data holds."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from page_helpers import HOSTILE, Seen, poisoned, whole
from report_helpers import NEW, OLD, faulty, pair, trial, write_run
from test_report_pages import fine, nothing

from core.errors import InputError, ResultError
from core.status import TrialStatus
from report.merge import merge
from report.page import html, parts
from report.words import LANGUAGES, words

ORDER = ("answer", "ratios", "results", "environments", "host", "compile", "distributions",
         "repeat", "reading")  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A report that holds everything."""
    return whole(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def pages(data: dict[str, Any]) -> dict[str, str]:
    """Its page in every language."""
    return {language: page(data, language) for language in LANGUAGES}


def page(data: dict[str, Any], language: str = "en") -> str:
    return html.render(data, language=language).html


def test_the_sections_stand_in_the_order_of_questions(pages: dict[str, str]) -> None:
    """The answer first, how to repeat it last."""
    ids = [attributes["id"] for tag, attributes in Seen(pages["en"]).tags
           if tag == "section" and "id" in attributes]  # fmt: skip

    assert list(ORDER) == [name for name in ids if name in ORDER]


def test_the_answer_is_in_plain_words(tmp_path: Path) -> None:
    """How many rows got faster, slower, did not change; each named with ratio and interval."""
    text = " ".join(" ".join(Seen(page(merge(fine(tmp_path / "run")))).texts).split())

    for said in ("1 got faster matmul/fp32 3.00× [2.9", "1 got slower sigmoid/fp32 0.659×",
                 "1 did not change svd/fp32", "36 of 36 trials are ok",
                 "Geometric mean"):  # fmt: skip
        assert said in text


def test_what_could_not_be_told_says_why(pages: dict[str, str]) -> None:
    """Status, reason, remedy and the end of the log stand in the row."""
    text = " ".join(" ".join(Seen(pages["en"]).texts).split())

    for said in ("could not be told", "timeout: why it was timeout", "Do this", "end of the log"):
        assert said in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_needs_nothing_else(pages: dict[str, str], language: str) -> None:
    """No address outside the page, every link inside it has its end, every id is one."""
    seen = Seen(pages[language])
    ids = seen.values("id")

    assert [] == seen.values("src") + seen.values("srcset") + seen.values("xlink:href")
    assert set() == {link for link in seen.values("href") if link[1:] not in ids}
    assert len(set(ids)) == len(ids)
    assert "url(http" not in pages[language]
    assert len(pages[language].encode()) < 5_000_000


def test_the_policy_lets_one_script_run(pages: dict[str, str]) -> None:
    """Nothing is loaded, and only the page's own script, known by its hash, is executed."""
    text = pages["en"]
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    policy = next(v for v in Seen(text).values("content") if "default-src" in v)
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()

    assert 1 == len(scripts)
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_text_is_text(data: dict[str, Any], pages: dict[str, str], language: str) -> None:
    """In every field: no tag, no handler, no open element, no control or direction character."""
    calm, wild = pages[language], page(poisoned(data, HOSTILE), language)
    seen = Seen(wild)
    tags = {tag for tag, _ in seen.tags}
    names = {name for _, attributes in seen.tags for name in attributes}

    assert tags <= {tag for tag, _ in Seen(calm).tags} | {"details", "summary"}
    assert not {name for name in names if name.startswith("on")}
    assert 1 == wild.count("<script>")
    assert not set("\x00\x1b\u202e\u2066\ud800") & set(wild)
    assert any("<script>alert(1)</script>" in text for text in seen.texts)
    assert any("{{ 7*7 }}" in text for text in seen.texts)
    assert any("$\\frac{1}{0}$" in text for text in seen.texts)


def test_long_texts_are_folded(data: dict[str, Any]) -> None:
    """A name of 10 kB shows its beginning and opens to the whole."""
    text = page(poisoned(data, "x" * 10_000))

    assert "x" * 10_000 in text
    assert "…</bdi></summary>" in text


def test_the_same_data_give_the_same_page(data: dict[str, Any]) -> None:
    """From report.json alone: no clock, no chance, no file beside it."""
    first, second = (html.render(json.loads(json.dumps(data))) for _ in range(2))

    assert first == second


def test_nothing_measured_is_a_page(tmp_path: Path) -> None:
    """No ratio, no plot, and the reason."""
    run = html.render(merge(nothing(tmp_path / "run")))

    assert {} == run.files
    assert "<svg" not in run.html
    assert "the container went away" in run.html


def test_one_environment_is_a_page(tmp_path: Path) -> None:
    """Times without ratios, and a line that says why."""
    run = write_run(tmp_path / "run", [trial(OLD, 0, 0.3)], environments=(OLD,))
    text = page(merge(run))

    assert "nothing to compare it with" in text
    assert "300 ms" in text


def test_three_environments_have_a_comparison_each(tmp_path: Path) -> None:
    """Each stands against the baseline with its own plot and table."""
    third = "torch29-cuda128"
    trials = pair([0.3, 0.31], [0.2, 0.21])
    trials += [trial(NEW, r, 0.1) for r in (0, 1)]
    renamed = [t if i < 4 else _named(t, third) for i, t in enumerate(trials)]
    run = write_run(tmp_path / "run", renamed, environments=(OLD, NEW, third))
    made = html.render(merge(run))

    assert 2 == sum("ratios-cpu" in name and name.endswith(".svg") for name in made.files)
    assert f"{third} against {OLD} on cpu" in made.html


def _named(result: Any, name: str) -> Any:
    from dataclasses import replace

    return replace(result, environment=name)


def test_what_to_do_names_remedies_once(tmp_path: Path) -> None:
    """The same remedy of many rows is one line."""
    trials = [
        faulty(name, 0, TrialStatus.FAILED, "it raised", workload=workload, remedy="Install it.")
        for workload in ("a", "b")
        for name in (OLD, NEW)
    ]
    text = page(merge(write_run(tmp_path / "run", trials)))
    answer = text[text.index('id="answer"') : text.index('id="results"')]

    assert 1 == answer.count("Install it.")


def test_claims_are_shown_where_there_are_any() -> None:
    """A plain list becomes a table with a column for each field; no list, no section."""
    grid = parts.claims([{"id": "A1", "value": 0.87}, {"id": "A2", "verdict": "held"}], words())

    assert None is parts.claims(None, words())
    assert grid
    assert (("A1", "0.870", "–"), ("A2", "–", "held")) == grid.lines


def test_files_beside_the_page(data: dict[str, Any]) -> None:
    """Every plot is an SVG and a PNG; names are safe whatever the rows are called."""
    files = html.render(poisoned(data, HOSTILE)).files
    kinds = [name.rpartition(".")[2] for name in files]

    assert kinds.count("svg") == kinds.count("png") > 1
    assert [] == [name for name in files if not re.fullmatch(r"plots/[A-Za-z0-9._-]+", name)]
    assert all(body.startswith(b"\x89PNG") for n, body in files.items() if n.endswith("png"))


def test_many_rows_stay_small(tmp_path: Path) -> None:
    """150 rows of six rounds: far under 5 MB."""
    trials = [t for i in range(150) for t in pair([0.3] * 6, [0.2] * 6, workload=f"w{i}")]
    text = page(merge(write_run(tmp_path / "run", trials)))

    assert len(text.encode()) < 2_500_000


def test_other_languages_and_schemas_are_refused(data: dict[str, Any]) -> None:
    """With what there is."""
    with pytest.raises(InputError, match="en, zh"):
        page(data, "fr")
    with pytest.raises(ResultError, match="schema"):
        page({**data, "schema": 99})
