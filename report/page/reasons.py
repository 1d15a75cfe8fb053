"""Why a verdict or a status is what it is, in the reader's language."""

from __future__ import annotations

from core.status import TrialStatus
from report.page.model import Pair, Reason
from report.schema import Comparison, Result
from report.verdict import Code, Verdict
from report.words import Words

_WITH_DETAIL = (Code.SETTINGS, Code.DEVICE)
_DETAIL_ALONE = (Code.IMPLAUSIBLE,)


def verdict_reason(comparison: Comparison, words: Words) -> str:
    """The codes of a comparison as a clause; empty where a status says it already."""
    if comparison.verdict is Verdict.NOT_MEASURED:
        return ""
    margin = words.percent(comparison.margin or 0)
    clauses = [words(f"code.{code.value}", margin=margin) for code in comparison.codes]
    if comparison.rounds_needed is not None:
        rounds = words.count("round", comparison.rounds_needed)
        clauses.append(words("code.rounds-needed", rounds=rounds))
    return words.clauses(clauses)


def detail(comparison: Comparison) -> str:
    """What is at fault, where a comparison was refused for settings, a device or a rate."""
    if any(code in _DETAIL_ALONE for code in comparison.codes):
        return comparison.reason
    has_detail = any(code in _WITH_DETAIL for code in comparison.codes)
    return comparison.reason.partition(": ")[2] if has_detail else ""


def reasons(pair: Pair, words: Words) -> tuple[Reason, ...]:
    """The verdict's reason, then each side's status and flags."""
    found = []
    comparison = pair.comparison
    if comparison and (said := verdict_reason(comparison, words)):
        found.append(Reason(said, data=detail(comparison)))
    for name, result in pair.sides.items():
        found += _of_result(name, result, words)
    return tuple(found)


def _of_result(name: str, result: Result, words: Words) -> list[Reason]:
    found = [Reason(words.named("flag", flag), where=name) for flag in result.flags]
    if result.status is not TrialStatus.OK:
        status = words(f"status.{result.status.value}")
        found.append(Reason(status, name, result.reason, result.remedy, result.log))
    return found
