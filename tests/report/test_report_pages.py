"""The Markdown page and the terminal, from report.json's data alone."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from report_helpers import NEW, OLD, dump, faulty, file_name, pair, trial, write_run
from rich.console import Console

from core.errors import ResultError
from core.status import TrialStatus
from report import format as shown
from report import markdown, terminal
from report.merge import merge

GOLDEN = Path(__file__).parent / "golden"
WOBBLE = (1.0, 1.01, 0.99, 1.005, 0.995, 1.0)


def fine(folder: Path) -> Path:
    """Six rounds, everything ok: one row faster, one slower, one without a difference."""
    rows = {"matmul": (0.060, 0.020), "sigmoid": (2.7e-5, 4.1e-5), "svd": (0.070, 0.0701)}
    trials = [
        t
        for name, (old, new) in rows.items()
        for t in pair([old * w for w in WOBBLE], [new * w for w in reversed(WOBBLE)], workload=name)
    ]
    return write_run(folder, trials)


def broken(folder: Path) -> Path:
    """Every status beside ok, an inconclusive row, and a row with other settings."""
    gone = {"failed": TrialStatus.FAILED, "timeout": TrialStatus.TIMEOUT,
            "unsupported": TrialStatus.UNSUPPORTED, "lost": TrialStatus.LOST,
            "skipped": TrialStatus.SKIPPED}  # fmt: skip
    trials = pair([0.3, 0.31], [0.2, 0.33], workload="inconclusive")
    for name, status in gone.items():
        trials += [trial(OLD, r, 0.3, workload=name) for r in (0, 1)]
        trials += [
            faulty(NEW, r, status, f"why it was {name}", workload=name, remedy="Do this", log="end")
            for r in (0, 1)
        ]
    for name in ("missing", "unreadable"):
        trials += pair([0.3, 0.31], [0.2, 0.19], workload=name)
    other = {"settings": {"matmul_tf32": True, "threads": 2}}
    trials += pair([0.3, 0.3], [], workload="settings")
    trials += pair([], [0.1, 0.1], workload="settings", **other)
    trials += pair([], [0.1, 0.1], workload="alone", flags=("noisy",))
    write_run(folder, trials, preset="quick")
    by_name = {file_name(t): t for t in trials}
    (folder / "trials" / next(n for n in by_name if n.startswith(f"{NEW}__cpu__missing"))).unlink()
    path = folder / "trials" / next(n for n in by_name if n.startswith(f"{NEW}__cpu__unreadable"))
    path.write_text(path.read_text()[:100])
    return folder


def nothing(folder: Path) -> Path:
    """Both environments, and no trial measured anything."""
    sides = [faulty(name, 0, TrialStatus.LOST, "the container went away") for name in (OLD, NEW)]
    return write_run(folder, sides, preset="smoke")


@pytest.mark.parametrize("make", [fine, broken, nothing])
def test_the_page_is_the_golden_one(tmp_path: Path, make: Any) -> None:
    """Whole pages; ``TORCHRIG_UPDATE_GOLDEN=1`` writes them anew after a look."""
    page = markdown.render(merge(make(tmp_path / "run")))
    path = GOLDEN / f"{make.__name__}.md"
    if os.environ.get("TORCHRIG_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(page, encoding="utf-8")

    assert path.read_text(encoding="utf-8") == page


def printed(data: Any, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    terminal.render(data, console)
    return str(console.file.getvalue())  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("make", [fine, broken, nothing])
def test_the_terminal_stays_in_its_width(tmp_path: Path, make: Any, width: int) -> None:
    """Nothing is cut off: every row's name and every verdict are there, whatever the width."""
    data = merge(make(tmp_path / "run"))
    text = printed(data, width)
    words = re.sub(r"\s+", "", text)

    assert max(len(line) for line in text.splitlines()) <= width
    assert "…" not in text
    for row in data["rows"]:
        assert row["workload"] in words


def test_the_terminal_says_everything_a_reader_needs(tmp_path: Path) -> None:
    """Time, spread, number of trials, ratio, interval, verdict, what else differs."""
    text = printed(merge(fine(tmp_path / "run")), 120)

    for part in ("60.0 ms", "2.0 %, n=6", "3.00×", "faster", "slower", "no difference", "cuDNN"):
        assert part in text


HOSTILE = (
    "<script>alert(1)</script> | a | b\n\n# Title\n- [x](http://e) ![i](u) @someone #12 `c` "
    "\x1b[31mred\x1b[0m \u202eevil &lt; ]]> =cmd() *b* _i_ ~~s~~ \\"
)


def hostile(folder: Path) -> Path:
    trials = [
        trial(OLD, 0, 0.1, flags=(HOSTILE,)),
        faulty(
            NEW, 0, TrialStatus.FAILED, HOSTILE, remedy=HOSTILE, log=f"{HOSTILE}\n```\n<b>\n````"
        ),
    ]
    write_run(folder, trials, plan={"commands": [HOSTILE, "```"], "notes": [HOSTILE]})
    for name in (OLD, NEW):
        dump(folder / "environments" / f"{name}.json", {"title": HOSTILE, "torchaudio": HOSTILE})
    finding = dict.fromkeys(("id", "title", "measured", "expected", "reason", "remedy"), HOSTILE)
    host = {
        "facts": {"system": {"cpu_model": HOSTILE}},
        "findings": [{**finding, "status": "fail"}],
    }
    dump(folder / "facts" / "host.json", host)
    return folder


def outside_fences(page: str) -> list[str]:
    """The lines of a page that Markdown reads: not those inside fenced text."""
    lines, fence = [], ""
    for line in page.splitlines():
        bare = line.strip()
        if fence:
            fence = "" if bare == fence else fence
        elif bare.startswith("```"):
            fence = bare.removesuffix("text")
        else:
            lines.append(line)
    assert not fence, "a fence was left open"
    return lines


def test_hostile_strings_are_text_in_markdown(tmp_path: Path) -> None:
    """No tag, heading, link, mention, broken table or control character comes out of data."""
    page = markdown.render(merge(hostile(tmp_path / "run")))
    lines = outside_fences(page)
    prose = re.sub(r"`[^`]*`", "", "\n".join(lines))

    assert "<script" not in prose
    assert not re.search(r"(?<!\\)\[x", prose)
    assert "@someone" not in prose
    assert "# Title" not in lines
    assert "\x1b" not in page
    assert "\u202e" not in page
    tables = [line for line in lines if line.startswith("|")]
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in tables}
    assert {4, 7, 8} >= cells


def test_hostile_strings_are_text_on_the_terminal(tmp_path: Path) -> None:
    """Rich markup is shown, not followed, and no escape sequence passes."""
    data = merge(hostile(tmp_path / "run"))
    text = printed(data, 100)

    assert "<script>" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_pages_come_from_the_data_alone(tmp_path: Path) -> None:
    """A report.json read back renders the same page, with the run's folder gone."""
    data = merge(fine(tmp_path / "run"))
    page = markdown.render(data)

    assert page == markdown.render(json.loads(json.dumps(data)))


@pytest.mark.parametrize("schema", [0, 99, None, True])
def test_a_report_of_another_schema_is_refused(tmp_path: Path, schema: object) -> None:
    """With the number in the message."""
    data = {**merge(fine(tmp_path / "run")), "schema": schema}

    with pytest.raises(ResultError, match="schema"):
        markdown.render(data)


@pytest.mark.parametrize(
    ("value", "width", "text"),
    [
        (0.06132, 0.0012, "61.3 ms"),
        (0.06132, 0.00001, "61.32 ms"),
        (0.06132, 0.02, "61.3 ms"),
        (0.06132, 0.0, "61.32 ms"),
        (1.435, None, "1.44 s"),
        (3.17e-5, None, "31.7 µs"),
        (4e-10, None, "0.400 ns"),
        (9.9999e-4, None, "1000 µs"),
        (125.0, None, "125 s"),
    ],
)
def test_times_show_the_digits_that_the_spread_leaves(
    value: float, width: float | None, text: str
) -> None:
    """One place below the spread, 3 to 4 digits."""
    assert text == shown.seconds(value, width=width)


def test_other_numbers() -> None:
    """Ratios near 1 show their third decimal."""
    assert ("3.00×", "1.023×", "0.970×", "0.0412×", "31.4×") == tuple(
        shown.ratio(x) for x in (3.0, 1.0234, 0.97, 0.0412, 31.42)
    )
    assert "[<0.001, >1000]" == shown.interval(1e-18, 1e15)
    assert ("0.3 %", "14 %", "256 MiB", "15.8 TFLOP/s") == (
        shown.percent(0.003),
        shown.percent(0.141),
        shown.memory(2.0**28),
        shown.rate(1.58e13, "FLOP/s"),
    )
