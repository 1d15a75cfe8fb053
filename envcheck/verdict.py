"""What the findings add up to, and the exit status that says so."""

from __future__ import annotations

from typing import Any, Iterable, Mapping

from core.records import Finding
from core.status import CheckStatus
from envcheck.checks import registry

SCHEMA = 1
KIND = "envcheck"
PASS, WARN, FAIL, UNKNOWN = "pass", "warn", "fail", "unknown"


def count(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings have each status; every status is named."""
    counts = {status.value: 0 for status in CheckStatus}
    for finding in findings:
        counts[finding.status.value] += 1
    return counts


def verdict(findings: Iterable[Finding], *, strict: bool = False) -> str:
    """``pass``, ``warn``, ``fail``, or ``unknown`` where nothing at all could be judged.

    With ``strict`` a warning is a failure.
    """
    counts = count(findings)
    if counts["fail"] or (strict and counts["warn"]):
        return FAIL
    if counts["warn"]:
        return WARN
    return PASS if counts["pass"] else UNKNOWN


def exit_status(word: str) -> int:
    """0 for ``pass`` and ``warn``, 1 for the rest."""
    return 0 if word in (PASS, WARN) else 1


def document(
    scope: str, facts: Mapping[str, Any], findings: list[Finding], *, strict: bool
) -> dict[str, Any]:
    """The JSON document of one judgement; docs/schemas has its schema."""
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "scope": scope,
        "verdict": verdict(findings, strict=strict),
        "strict": strict,
        "counts": count(findings),
        "facts": dict(facts),
        "findings": [finding.to_dict() for finding in findings],
        "checks": registry.described(finding.id for finding in findings),
    }
