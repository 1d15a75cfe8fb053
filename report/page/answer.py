"""The answer in plain words: what changed, whether to believe it, and what to do."""

from __future__ import annotations

import math
from collections import Counter
from typing import Sequence

from core.status import CheckStatus, Flag, TrialStatus
from report.page.model import Answer, Group, Item, Pair, Said, View
from report.page.pairs import conditions, title
from report.page.reasons import verdict_reason
from report.schema import Report
from report.verdict import Verdict
from report.views import any_conclusive
from report.words import Words

KINDS = {
    "faster": (Verdict.FASTER,),
    "slower": (Verdict.SLOWER,),
    "same": (Verdict.NO_DIFFERENCE,),
    "untold": (Verdict.INCONCLUSIVE, Verdict.NOT_COMPARABLE, Verdict.NOT_MEASURED),
}
MOST_NAMED = 6
MOST_REMEDIES = 6
MOST_ROUNDS = 20
"""The last look that a run with extension takes (docs/design.md)."""

_TOLD = (Flag.NOISY.value, Flag.THROTTLED.value, Flag.FELL_BACK_TO_EAGER.value)


def answers(report: Report, views: Sequence[View], words: Words) -> list[Answer]:
    """Every comparison: how many rows got faster, slower, did not change, could not be told."""
    return [_answer(report, view, words) for view in views if view.other]


def trust(report: Report, words: Words) -> list[Said]:
    """How far to believe it, the worst first."""
    said = [*_trials(report, words), *_checks(report, words), *_problems(report)]
    said += [*_flags(report, words), *_rounds(report, words), *_unmanaged(report, words)]
    return sorted(said, key=lambda one: ("bad", "warn", "info", "good").index(one.level))


def remedies(report: Report, words: Words) -> list[Said]:
    """What to do next: more rounds, then the remedies of whatever went wrong, each once."""
    said = _more_rounds(report, words)
    found = [check.remedy for check in report.checks if check.status is CheckStatus.FAIL]
    found += [
        result.remedy
        for row in report.rows
        for result in row.results.values()
        if result.status.is_fault
    ]
    found += [problem.remedy for problem in report.problems]
    found += [check.remedy for check in report.checks if check.status is not CheckStatus.FAIL]
    distinct = list(dict.fromkeys(text for text in found if text.strip()))
    said += [Said("", text) for text in distinct[:MOST_REMEDIES]]
    if len(distinct) > MOST_REMEDIES:
        said.append(Said(words("do.more", n=len(distinct) - MOST_REMEDIES)))
    return said


def _answer(report: Report, view: View, words: Words) -> Answer:
    groups = tuple(
        group for kind, verdicts in KINDS.items() if (group := _group(view, kind, verdicts, words))
    )
    where = conditions(report, view, words)
    return Answer(title(view, words), where, _mean(report, view, words), groups)


def _group(view: View, kind: str, verdicts: Sequence[Verdict], words: Words) -> Group | None:
    pairs = [p for p in view.pairs if p.comparison and p.comparison.verdict in verdicts]
    if not pairs:
        return None
    pairs.sort(key=_effect, reverse=True)
    items = tuple(
        Item(pair.name, f"r-{view.index}-{pair.index}", *_value(pair, words))
        for pair in pairs[:MOST_NAMED]
    )
    return Group(kind, words(f"answer.{kind}"), len(pairs), items, len(pairs) - len(items))


def _effect(pair: Pair) -> float:
    ratio = pair.comparison.ratio if pair.comparison else None
    return abs(math.log(ratio)) if ratio else -1.0


def _value(pair: Pair, words: Words) -> tuple[str, bool]:
    """The ratio, or why there is none; and which of the two it is."""
    comparison = pair.comparison
    if comparison is None:
        return "", False
    if comparison.ratio is None:
        verdict = words(f"verdict.{comparison.verdict.value}")
        reason = verdict_reason(comparison, words) or _statuses(pair, words)
        return words("answer.reason", verdict=verdict, reason=reason), False
    text = words.ratio(comparison.ratio)
    if comparison.low is not None and comparison.high is not None:
        return f"{text} {words.interval(comparison.low, comparison.high)}", True
    return words("answer.no-interval", ratio=text), True


def _statuses(pair: Pair, words: Words) -> str:
    return words.listed(
        words("answer.status", status=words(f"status.{result.status.value}"), name=name)
        for name, result in pair.sides.items()
        if result.status is not TrialStatus.OK
    )


def _mean(report: Report, view: View, words: Words) -> str:
    for mean in report.means:
        if (mean.environment, mean.device) == (view.other, view.device):
            if mean.ratio is None:
                return words("mean.none", of=mean.of)
            values = {"ratio": words.ratio(mean.ratio), "used": mean.used, "of": mean.of}
            if any_conclusive(report, view.device, str(view.other)):
                return words("mean.of", **values)
            return words("mean.inconclusive", **values)
    return ""


def _trials(report: Report, words: Words) -> list[Said]:
    counts, planned = report.run.trials.counts, report.run.trials.planned
    ok = counts.get(TrialStatus.OK, 0)
    rest = words.listed(
        words("trust.status", n=n, status=words(f"status.{status.value}"))
        for status, n in counts.items()
        if status is not TrialStatus.OK and n
    )
    faults = any(n and status.is_fault for status, n in counts.items())
    level = "bad" if faults or not ok else "good"
    key = "trust.trials-rest" if rest else "trust.trials"
    return [Said(words(key, ok=ok, planned=planned, rest=rest), level=level)]


def _checks(report: Report, words: Words) -> list[Said]:
    failed = sum(check.status is CheckStatus.FAIL for check in report.checks)
    warned = len(report.checks) - failed
    if not report.checks:
        return [Said(words("trust.checks-well"), level="good")]
    said = [Said(words("trust.failed", n=words.count("check", failed)), level="bad")]
    said += [Said(words("trust.warned", n=words.count("check", warned)), level="warn")]
    return [one for one, number in zip(said, (failed, warned), strict=True) if number]


def _problems(report: Report) -> list[Said]:
    levels = {"error": "bad", "warning": "warn"}
    return [Said("", problem.what, levels[problem.level]) for problem in report.problems]


def _flags(report: Report, words: Words) -> list[Said]:
    seen = Counter(
        flag for row in report.rows for flag in {f for r in row.results.values() for f in r.flags}
    )
    return [
        Said(words(f"trust.{flag}", n=words.count("row", seen[flag])), level="warn")
        for flag in _TOLD
        if seen[flag]
    ]


def _rounds(report: Report, words: Words) -> list[Said]:
    said = []
    if report.run.rounds == 1:
        said.append(Said(words("trust.one-round"), level="warn"))
    if report.run.preset in ("smoke", "quick"):
        said.append(Said(words(f"trust.{report.run.preset}"), level="info"))
    return said


def _unmanaged(report: Report, words: Words) -> list[Said]:
    names = [environment.name for environment in report.environments if not environment.managed]
    if not names:
        return []
    return [Said(words("trust.unmanaged", names=words.listed(names)), level="warn")]


def _more_rounds(report: Report, words: Words) -> list[Said]:
    needed = [
        c.rounds_needed for row in report.rows for c in row.comparisons.values() if c.rounds_needed
    ]
    said = []
    within = [number for number in needed if number <= MOST_ROUNDS]
    if within:
        rows, rounds = words.count("row", len(within)), words.count("round", max(within))
        said.append(Said(words("do.rounds", rows=rows, rounds=rounds, n=max(within))))
    if len(needed) > len(within):
        beyond = words.count("row", len(needed) - len(within))
        said.append(Said(words("do.too-many-rounds", rows=beyond, n=MOST_ROUNDS)))
    if report.run.rounds == 1 and report.means:
        said.append(Said(words("do.measure")))
    return said
