"""Lay the page out: everything from report.json is text, whatever it holds."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Mapping

import jinja2

from report.page import answer, parts, plots
from report.page.pairs import views
from report.page.results import results
from report.page.strip import has_times
from report.schema import Report, load
from report.text import printable, shortened
from report.words import Words, words

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
VERDICTS = ("faster", "slower", "no difference", "inconclusive", "not comparable", "not measured")
SYMBOLS = {"faster": "▶", "slower": "◀", "no difference": "■", "inconclusive": "○",
           "not comparable": "≠", "not measured": "–"}  # fmt: skip


@dataclass(frozen=True)
class Page:
    """The page, and the files that lie beside it by their relative path."""

    html: str
    files: Mapping[str, bytes]


def render(data: Mapping[str, Any], *, language: str = "en") -> Page:
    """The page of a report.

    Args:
        data: the content of report.json.
        language: ``en`` or ``zh``.

    Raises:
        ResultError: not the content of a report.json of this schema.
        InputError: no such language.
    """
    said = words(language)
    report = load(data)
    seen = views(report)
    forests = plots.forests(seen, said)
    strips = plots.strips(report, said)
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    html = (
        _templates()
        .get_template("page.html.j2")
        .render(
            w=said,
            report=report,
            answers=answer.answers(report, seen, said),
            trust=answer.trust(report, said),
            remedies=answer.remedies(report, said),
            forests=forests,
            claims=parts.claims(data.get("claims"), said),
            tables=results(report, seen, said),
            environments=parts.environments(report, said),
            host=parts.host(report, said),
            devices=parts.devices(report, said),
            checks=parts.checks(report, said),
            memory=parts.memory(report, said),
            one_off=parts.one_off(report, said),
            strips=strips,
            distributions=_distributions(report, said),
            repeat=parts.repeat(report, said),
            style=(TEMPLATES / "page.css").read_text(encoding="utf-8"),
            script=script,
            script_hash=_hash(script),
            symbols=SYMBOLS,
            verdicts=VERDICTS,
        )
    )
    every = (*forests.values(), *strips.values())
    return Page(html, {path: body for plot in every for path, body in plot.files.items()})


def _distributions(report: Report, said: Words) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "name": f"{row.workload}/{row.variant}",
            "device": row.device,
            "sides": [
                {
                    "name": name,
                    "medians": [said.seconds(m) if m else said("none") for m in result.medians_s],
                    "measured": parts.measured(result, said),
                }
                for name, result in row.results.items()
            ],
        }
        for index, row in enumerate(report.rows)
        if has_times(row.results)
    ]


@lru_cache(maxsize=1)
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=_finalize,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shortened"] = shortened
    return environment


def _finalize(value: object) -> object:
    """Control and direction characters become spaces; what the page itself drew stays."""
    return value if hasattr(value, "__html__") else printable(value)


def _hash(script: str) -> str:
    """What the content policy allows to run: this script and no other."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
