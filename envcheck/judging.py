"""Run checks over facts: findings, one for every check."""

from __future__ import annotations

from typing import Any, Iterable, Mapping

from core.records import Finding
from core.status import CheckStatus
from envcheck.checks.judgement import Judgement, failed, skipped
from envcheck.checks.registry import Check
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

UNREAD_REMEDY = (
    "Find out why this could not be read, put that right and check again; what was not read is "
    "not known to be right."
)


def findings(checks: Iterable[Check], facts: Mapping[str, Any], wanted: Wanted) -> list[Finding]:
    """One finding per check, in the order of ``checks``."""
    view = Facts(facts)
    done: dict[str, CheckStatus] = {}
    results = []
    for item in checks:
        judgement = _judge(item, view, wanted, done)
        done[item.id] = judgement.status
        results.append(_finding(item, judgement))
    return results


def _judge(item: Check, facts: Facts, wanted: Wanted, done: Mapping[str, CheckStatus]) -> Judgement:
    for cause in item.after:
        if done.get(cause) is CheckStatus.FAIL:
            return skipped(f"follows from {cause}")
    try:
        for path in item.needs:
            facts.value(path)
        return item.judge(facts, wanted)
    except Unread as unread:
        return _unread(item, unread)


def _unread(item: Check, unread: Unread) -> Judgement:
    if item.demanded:
        return failed("not read", item.looks_at, str(unread), UNREAD_REMEDY)
    return skipped(str(unread))


def _finding(item: Check, judgement: Judgement) -> Finding:
    return Finding(
        id=item.id,
        title=item.title,
        status=judgement.status,
        measured=judgement.measured,
        expected=judgement.expected,
        reason=judgement.reason,
        remedy=judgement.remedy,
    )
