"""CSV of rows: one line per row and environment, from report.json's data alone.

Column names are the same in every language; numbers are plain, times in seconds. A text that a
spreadsheet would take for a formula gets an apostrophe in front: one whose first character that is
not a space is ``=``, ``+``, ``-``, ``@`` or the full-width form of one. Every text is one line.
"""

from __future__ import annotations

import csv
import io
from typing import Any, Iterator, Mapping

from report.schema import Comparison, Report, Result, Row, load
from report.text import one_line

COLUMNS = (
    "run", "device", "workload", "variant", "environment", "is_baseline", "status", "reason",
    "remedy", "flags", "planned", "ok", "median_s", "spread_over", "spread_low_s", "spread_high_s",
    "samples", "verdict", "codes", "why", "ratio", "low", "high", "confidence", "pairs", "margin",
    "rounds_needed", "samples_per_s", "flop_per_s", "bytes_per_s", "peak_memory_bytes",
    "first_call_s", "compile_s", "output_error", "output_tolerance",
)  # fmt: skip
METRICS = COLUMNS[COLUMNS.index("samples_per_s") : COLUMNS.index("output_error")]
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def render(data: Mapping[str, Any]) -> str:
    """The table, RFC 4180, a header first.

    Raises:
        ResultError: not the content of a report.json of this schema.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, restval="")
    writer.writeheader()
    for line in _lines(load(data)):
        writer.writerow({name: guarded(value) for name, value in line.items()})
    return stream.getvalue()


def guarded(value: object) -> object:
    """A cell that no spreadsheet runs; numbers stay as they are, None is empty."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, (int, float)):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _lines(report: Report) -> Iterator[dict[str, object]]:
    for row in report.rows:
        for name, result in row.results.items():
            yield {
                "run": report.run.id,
                "device": row.device,
                "workload": row.workload,
                "variant": row.variant,
                "environment": name,
                "is_baseline": name == report.run.baseline,
                **_result(result),
                **_compared(row, name),
            }


def _result(result: Result) -> dict[str, object]:
    spread, check = result.spread, result.check
    return {
        "status": result.status.value,
        "reason": result.reason,
        "remedy": result.remedy,
        "flags": " ".join(result.flags),
        "planned": result.planned,
        "ok": result.ok,
        "median_s": result.median_s,
        "spread_over": spread.over if spread else "",
        "spread_low_s": spread.low_s if spread else None,
        "spread_high_s": spread.high_s if spread else None,
        "samples": result.samples,
        **{name: result.metrics.get(name) for name in METRICS},
        "output_error": check.error if check else None,
        "output_tolerance": check.tolerance if check else None,
    }


def _compared(row: Row, environment: str) -> dict[str, object]:
    comparison: Comparison | None = row.comparisons.get(environment)
    if comparison is None:
        return {}
    plain = ("ratio", "low", "high", "confidence", "pairs", "margin", "rounds_needed")
    return {
        "verdict": comparison.verdict.value,
        "codes": " ".join(code.value for code in comparison.codes),
        "why": comparison.reason,
        **{name: getattr(comparison, name) for name in plain},
    }
