"""What a failed pull or build says: the kind of failure, and the way out of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import BuildError
from images import toml
from images.paths import FAILURES


@dataclass(frozen=True)
class Failure:
    """A failure that is known: its kind, the line that shows it, and what to do.

    ``says`` puts the kind into words; it is empty where the line speaks for itself.
    """

    kind: str
    says: str
    evidence: str
    remedy: str


def classify(log: str) -> Failure | None:
    """The first kind of ``failures.toml`` that a log shows, or None."""
    for row in toml.read(FAILURES)["failures"]:
        match = re.search("|".join(row["patterns"]), log, re.IGNORECASE)
        if match:
            return _failure(row, _line(log, match.start()))
    return None


def build_error(what: str, log: str) -> BuildError:
    """The error for a failed pull or build, with the line that shows why."""
    failure = classify(log)
    if failure is None:
        tail = "\n".join(log.strip().splitlines()[-12:])
        return BuildError(what, why=tail, remedy="The log above shows the step that failed.")
    why = f"{failure.says}: {failure.evidence}." if failure.says else f"{failure.evidence}."
    return BuildError(what, why=why, remedy=failure.remedy)


def _failure(row: Mapping[str, Any], evidence: str) -> Failure:
    return Failure(row["kind"], row.get("says", ""), evidence, row["remedy"])


def _line(log: str, position: int) -> str:
    start = log.rfind("\n", 0, position) + 1
    end = log.find("\n", position)
    return log[start : end if end >= 0 else len(log)].strip().rstrip(".")[:400]
