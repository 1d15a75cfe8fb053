"""Findings as plain, aligned terminal text."""

from __future__ import annotations

import shutil
import textwrap
from dataclasses import replace
from typing import Iterable

from core.records import Finding
from core.status import CheckStatus
from envcheck.checks.registry import Check
from envcheck.verdict import count

_INDENT = 7


def findings(items: list[Finding], *, verdict: str) -> str:
    """One line per finding; reason and remedy below what is not ``pass``; the verdict last."""
    items = [harmless(item) for item in items]
    width = max(60, min(shutil.get_terminal_size((100, 24)).columns, 120))
    shown = [item for item in items if not _is_skip(item)]
    label = max((len(item.title) for item in shown), default=0) + 2
    lines = [line for item in shown for line in _lines(item, label, width)]
    return "\n".join([*lines, *_skips(items, width), summary(items, verdict), ""])


def catalogue(checks: Iterable[Check]) -> str:
    """Every check: id, where it runs, severity, what it looks at."""
    rows = [(item.id, item.scope, item.severity, item.looks_at) for item in checks]
    sizes = [max(len(row[place]) for row in rows) for place in range(3)]
    return "".join(
        "  ".join([*(f"{part:<{size}}" for part, size in zip(row, sizes)), row[3]]) + "\n"
        for row in rows
    )


def harmless(item: Finding) -> Finding:
    """The finding with control characters shown as question marks.

    Texts in it come from programs and files of the machine that is judged.
    """
    return replace(
        item,
        measured=_printable(item.measured),
        expected=_printable(item.expected),
        reason=_printable(item.reason),
        remedy=_printable(item.remedy),
    )


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)


def _is_skip(item: Finding) -> bool:
    return item.status is CheckStatus.SKIP


def _lines(item: Finding, label: int, width: int) -> list[str]:
    head = f"{item.status.value:<{_INDENT}}{item.title:<{label}}{item.measured}"
    lines = [head] if len(head) <= width else _wrapped(head, width)
    if item.status is CheckStatus.PASS:
        return lines
    bad = item.status in (CheckStatus.WARN, CheckStatus.FAIL)
    parts = [item.reason, f"Expected: {item.expected}." if bad else "", labelled(item.remedy)]
    return lines + [
        line for part in parts if part for line in _wrapped(" " * _INDENT + part, width)
    ]


def labelled(remedy: str) -> str:
    """The remedy with its word in front; empty where there is none."""
    return f"Remedy: {remedy}" if remedy else ""


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=" " * _INDENT, break_on_hyphens=False)


def skips(items: Iterable[Finding]) -> dict[str, list[str]]:
    """Ids of what was not judged, by the reason they share."""
    by_reason: dict[str, list[str]] = {}
    for item in items:
        if _is_skip(item):
            by_reason.setdefault(item.reason, []).append(item.id)
    return by_reason


def _skips(items: list[Finding], width: int) -> list[str]:
    return [
        line
        for reason, ids in skips(items).items()
        for line in _wrapped(f"{'skip':<{_INDENT}}{', '.join(ids)}: {reason}", width)
    ]


def summary(items: list[Finding], verdict: str) -> str:
    """The verdict and how many findings have each status."""
    counts = count(items)
    told = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    return f"verdict: {verdict} ({told})"
