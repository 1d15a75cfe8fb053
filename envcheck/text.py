"""Findings as plain, aligned terminal text."""

from __future__ import annotations

import shutil
import textwrap
from typing import Iterable

from core.records import Finding
from core.status import CheckStatus
from envcheck.checks.registry import Check
from envcheck.verdict import count

_INDENT = 7


def findings(items: list[Finding], *, verdict: str) -> str:
    """One line per finding; reason and remedy below what is not ``pass``; the verdict last."""
    width = max(60, min(shutil.get_terminal_size((100, 24)).columns, 120))
    shown = [item for item in items if not _is_skip(item)]
    label = max((len(item.title) for item in shown), default=0) + 2
    lines = [line for item in shown for line in _lines(item, label, width)]
    return "\n".join([*lines, *_skips(items, width), _summary(items, verdict), ""])


def catalogue(checks: Iterable[Check]) -> str:
    """Every check: id, where it runs, what it looks at."""
    rows = [(item.id, item.scope, item.looks_at) for item in checks]
    first = max(len(row[0]) for row in rows)
    second = max(len(row[1]) for row in rows)
    return "".join(f"{a:<{first}}  {b:<{second}}  {c}\n" for a, b, c in rows)


def _is_skip(item: Finding) -> bool:
    return item.status is CheckStatus.SKIP


def _lines(item: Finding, label: int, width: int) -> list[str]:
    head = f"{item.status.value:<{_INDENT}}{item.title:<{label}}{item.measured}"
    lines = [head] if len(head) <= width else _wrapped(head, width)
    if item.status is CheckStatus.PASS:
        return lines
    bad = item.status in (CheckStatus.WARN, CheckStatus.FAIL)
    parts = [item.reason, f"Expected: {item.expected}." if bad else "", _labelled(item.remedy)]
    return lines + [
        line for part in parts if part for line in _wrapped(" " * _INDENT + part, width)
    ]


def _labelled(remedy: str) -> str:
    return f"Remedy: {remedy}" if remedy else ""


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=" " * _INDENT, break_on_hyphens=False)


def _skips(items: list[Finding], width: int) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for item in items:
        if _is_skip(item):
            by_reason.setdefault(item.reason, []).append(item.id)
    return [
        line
        for reason, ids in by_reason.items()
        for line in _wrapped(f"{'skip':<{_INDENT}}{', '.join(ids)}: {reason}", width)
    ]


def _summary(items: list[Finding], verdict: str) -> str:
    counts = count(items)
    told = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    return f"verdict: {verdict} ({told})"
