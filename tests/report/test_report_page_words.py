"""Two languages: nothing untranslated, nothing unused, the same reasons as report.json's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from page_helpers import Seen, whole
from report_helpers import NEW, OLD

from core.status import CheckStatus, Flag, TrialStatus
from report.compare import explain
from report.page import html
from report.page.reasons import verdict_reason
from report.schema import Comparison
from report.verdict import Code, Judgement, Verdict
from report.words import CATALOGUES, LANGUAGES, Words, words

ROOT = Path(__file__).resolve().parents[2]
ENGLISH, CHINESE = (words(language)._catalogue for language in LANGUAGES)
SAME = re.compile(r"(component\.(torch|cudnn|cublas|triton|numpy|python)\w*|host\.CPU|none|"
                  r"number\.unit)")  # fmt: skip
"""Names and signs that Chinese writes as English does."""

OPEN = ("verdict", "status", "check", "code", "flag", "component", "host", "device", "where",
        "cache", "metric", "trust", "preset", "count", "answer", "repeat", "sort", "legend",
        "claim", "column", "plot")  # fmt: skip
"""Groups whose keys are put together while the page is made."""

WITH_OWN_REASON = (Code.SETTINGS, Code.CODE, Code.DEVICE, Code.STATUS, Code.IMPLAUSIBLE)
"""Codes of rows that were not compared, which no judgement holds."""


def test_every_language_has_every_key() -> None:
    """A catalogue per language, the same keys in the same order."""
    assert sorted(path.stem for path in CATALOGUES.glob("*.json")) == sorted(LANGUAGES)
    assert list(ENGLISH) == list(CHINESE)


def test_places_for_values_are_the_same() -> None:
    """What English says of a row, Chinese says too."""

    def places(text: str) -> list[str]:
        return sorted(re.findall(r"{(\w+)}", text))

    assert {k: places(v) for k, v in ENGLISH.items()} == {k: places(v) for k, v in CHINESE.items()}


def test_chinese_is_chinese() -> None:
    """Every text but names and signs holds Chinese characters or Chinese punctuation."""
    left = {k: v for k, v in CHINESE.items() if not re.search(r"[\u3000-\u9fff\uff00-\uffef]", v)}
    allowed = {"lang", "number.percent", "answer.status"}

    assert [] == [key for key in left if not SAME.fullmatch(key) and key not in allowed]


def test_every_key_is_used_and_every_used_key_is_there() -> None:
    """Keys that the sources spell out are in the catalogue; the others belong to open groups."""
    sources = [*(ROOT / "report").rglob("*.py"), *(ROOT / "report" / "page").rglob("*.j2")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    spelled = set(re.findall(r"""\b(?:w|words|said|language|self)\(\s*["']([\w. -]+)["']""", text))
    spelled = {key for key in spelled if not key.endswith(".")}
    unused = {key for key in ENGLISH if key not in spelled and key.split(".")[0] not in OPEN}

    assert set() == {key for key in spelled - set(ENGLISH) if key not in LANGUAGES}
    assert set() == unused


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_typed_word_has_its_name(language: str) -> None:
    """Statuses, verdicts, codes and flags are never shown as raw values."""
    said = words(language)
    typed = {"status": TrialStatus, "verdict": Verdict, "code": Code, "flag": Flag,
             "check": CheckStatus}  # fmt: skip

    assert [] == [
        f"{group}.{item.value}"
        for group, kinds in typed.items()
        for item in kinds
        if f"{group}.{item.value}" not in said._catalogue
    ]


@pytest.mark.parametrize("code", [code for code in Code if code not in WITH_OWN_REASON])
def test_english_reasons_are_those_of_the_report(code: Code) -> None:
    """The page words a verdict as report.json does."""
    judgement = Judgement(Verdict.INCONCLUSIVE, (code,), 0.05, rounds_needed=9)
    reason = explain(judgement)
    comparison = Comparison(verdict=judgement.verdict, codes=[code], reason=reason, ratio=1.0,
                            low=None, high=None, confidence=None, pairs=1, margin=0.05,
                            rounds_needed=9, also_differs=[])  # fmt: skip

    assert reason == verdict_reason(comparison, words("en")).replace("5.0 %", "5.0%")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return whole(tmp_path_factory.mktemp("runs"))


def test_the_chinese_page_holds_no_english_of_its_own(data: dict[str, Any]) -> None:
    """Latin words outside data are names, units and words that the Chinese catalogue uses."""
    own = " ".join(Seen(html.render(data, language="zh").html).own)
    names = [
        OLD,
        NEW,
        data["run"]["id"],
        data["run"]["preset"],
        data["run"]["engine"],
        "cpu EPYC ms µs s MiB GiB n",
    ]
    names += [row[key] for row in data["rows"] for key in ("workload", "variant")]
    known = set(re.findall(r"[A-Za-z]{2,}", " ".join([*names, *CHINESE.values()])))

    assert set() == set(re.findall(r"[A-Za-z]{2,}", own)) - known


def test_numbers_are_written_as_each_language_does() -> None:
    """Per cent with and without a space, a factor with × and 倍."""
    assert ("2.1 %", "2.97×", "61.3 ms") == _numbers(words("en"))
    assert ("2.1%", "2.97 倍", "61.3 ms") == _numbers(words("zh"))


def _numbers(said: Words) -> tuple[str, str, str]:
    return said.percent(0.021), said.ratio(2.97), said.seconds(0.0613)


def test_values_are_never_read_as_places() -> None:
    """Braces in data stay braces."""
    assert "{x} (baseline)" == words()("baseline.name", name="{x}")
