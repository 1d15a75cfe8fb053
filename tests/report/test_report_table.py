"""CSV of rows: complete, and no cell that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from page_helpers import HOSTILE, poisoned, whole
from report_helpers import NEW, OLD, pair, write_run

from report import table
from report.merge import merge


def rows(data: dict[str, Any]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.render(data)), strict=True))


def test_a_line_per_row_and_environment(tmp_path: Path) -> None:
    """Numbers are whole, in seconds; the baseline has no ratio of its own."""
    old, new = rows(merge(write_run(tmp_path / "run", pair([0.30, 0.31], [0.2, 0.21]))))

    assert (OLD, "true", "ok", "", "") == tuple(
        old[k] for k in ("environment", "is_baseline", "status", "ratio", "verdict")
    )
    assert (NEW, "false") == tuple(new[k] for k in ("environment", "is_baseline"))
    assert 0.205 == round(float(new["median_s"]), 9)
    assert 1.488 == round(float(new["ratio"]), 3)


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1", "\t=1", "\r\n=1", "＝1", "\x00=1", "\u202e=1"]
)
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    """Whatever stands before it that a spreadsheet would drop."""
    cell = table.guarded(text)

    assert isinstance(cell, str)
    assert cell.startswith("'")


@pytest.mark.parametrize("value", [1.5e-7, -2.0, 3, "torch 2.8.0+cu128", "a=b", ""])
def test_numbers_and_ordinary_texts_stay(value: object) -> None:
    """A negative number is a number, not a formula."""
    assert value == table.guarded(value)


def test_hostile_text_stays_in_its_cell(tmp_path: Path) -> None:
    """The number of lines and columns is what it was, and no cell begins a formula."""
    data = whole(tmp_path)
    calm, wild = rows(data), rows(poisoned(data, f"=cmd(){HOSTILE}"))
    numbers = set(table.COLUMNS) - {"run", "reason", "remedy", "why"}

    assert len(calm) == len(wild)
    assert all(None not in line and len(line) == len(table.COLUMNS) for line in wild)
    assert [] == [
        cell for line in wild for name, cell in line.items()
        if name not in numbers and cell.startswith(("=", "+", "-", "@"))
    ]  # fmt: skip
    assert "\n" not in "".join(cell for line in wild for cell in line.values())
