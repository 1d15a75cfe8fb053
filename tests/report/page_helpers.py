"""Reports for the page: everything a run can hold, and the same with hostile text everywhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Mapping

from report_helpers import NEW, OLD, dump, pair, trial, write_run
from test_report_pages import broken, fine

from report.merge import merge

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'> | ]]> --> </style></svg> &lt;b&gt; "
    "=cmd() {0} {{ 7*7 }} {% x %} $\\frac{1}{0}$ \n\x00\x1b[31m \u202eevil\u2066 \ud800 "
    "http://e/ 中文"
)
TYPED = {"status", "verdict", "codes", "level", "over", "counts", "device", "flags", "schema"}
VOID = {"meta", "input", "br", "img", "link"}


def whole(folder: Path) -> dict[str, Any]:
    """A report with both devices' kinds of rows: every verdict, every status, checks, problems."""
    data = merge(broken(folder / "broken"))
    good = merge(fine(folder / "fine"))
    compiled = [
        trial(
            NEW, r, 0.2, workload="compiled", metrics={"compile_s": 14.2, "compile_cache": "cold"}
        )
        for r in (0, 1)
    ]
    extra = write_run(folder / "extra", compiled + pair([0.3, 0.3], [], workload="compiled"))
    finding = {"id": "a", "title": "A check", "measured": "1", "expected": "2", "reason": "Why.",
               "remedy": "Do that."}  # fmt: skip
    findings = [{**finding, "status": "fail"}, {**finding, "status": "warn"}]
    dump(extra / "facts" / "host.json", {"facts": {"system": {"cpus": 2}}, "findings": findings})
    merged = merge(extra)
    rows = [*data["rows"], *good["rows"], *merged["rows"]]
    problem = {"level": "warning", "what": "Something.", "remedy": "Look."}
    return {**data, "rows": rows, "checks": merged["checks"], "problems": [problem]}


def poisoned(value: Any, text: str, key: str = "") -> Any:
    """The same report with ``text`` in every string, also in the names of its environments."""
    if isinstance(value, Mapping):
        return {
            (f"{name}{text}" if name in (OLD, NEW) else name): (
                item if name in TYPED else poisoned(item, text, str(name))
            )
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [poisoned(item, text, key) for item in value]
    return f"{value}{text}" if isinstance(value, str) else value


class Seen(HTMLParser):
    """Tags, attributes and texts of a page. ``own`` is text that the page itself wrote."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.own: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag with its attributes."""
        named = {name: value or "" for name, value in attrs}
        self.tags.append((tag, named))
        if tag not in VOID:
            foreign = tag in ("bdi", "style", "script") or named.get("lang") == "en"
            self._open.append((tag, foreign and tag != "html"))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag that closes itself."""
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        """Every end tag closes the element that was opened last."""
        assert self._open, f"</{tag}> closes nothing"
        assert tag == self._open.pop()[0]

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.texts.append(data)
        if not any(foreign for _, foreign in self._open):
            self.own.append(data)

    def values(self, name: str) -> list[str]:
        """Every value of an attribute."""
        return [attributes[name] for _, attributes in self.tags if name in attributes]
