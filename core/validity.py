"""What no trial can have: values a damaged or hostile result file may hold all the same."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.records import TrialResult

_TEXTS = (
    "workload", "variant", "device", "environment", "reason", "remedy", "preset", "code_hash",
    "started_at", "log",
)  # fmt: skip
_OBJECTS = ("settings", "identity", "metrics")
SHORTEST_S, LONGEST_S = 1e-12, 1e9
"""No process and no clock gives a time beyond these, and their ratios stay finite."""

_WHOLE = (("calls_per_sample", 1), ("round", 0), ("seed", 0))


def is_number(value: object) -> bool:
    """Whether a value is a finite number and no truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def fault_of(result: TrialResult) -> str:
    """The first impossible value of a trial as a sentence without its full stop; or empty."""
    return _type_fault(result) or _number_fault(result)


def _type_fault(result: TrialResult) -> str:
    for name in _TEXTS:
        if not isinstance(getattr(result, name), str):
            return f"{name} is not text"
    for name in _OBJECTS:
        if not isinstance(getattr(result, name), dict):
            return f"{name} is not an object"
    if not all(isinstance(flag, str) for flag in result.flags):
        return "a flag is not text"
    check = result.check
    if check and not all(isinstance(text, str) for text in (check.measure, check.reference)):
        return "the output check's measure or reference is not text"
    return ""


def _number_fault(result: TrialResult) -> str:
    times = [*result.samples_s, *([] if result.median_s is None else [result.median_s])]
    if not all(is_number(value) and SHORTEST_S <= value <= LONGEST_S for value in times):
        return f"a time is not between {SHORTEST_S:g} and {LONGEST_S:g} seconds"
    for name, least in _WHOLE:
        value = getattr(result, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            return f"{name} is not a whole number of at least {least}"
    if not is_number(result.elapsed_s):
        return "elapsed_s is not a number"
    check = result.check
    if check and not (is_number(check.error) and is_number(check.tolerance)):
        return "the output check's error or tolerance is not a number"
    return ""
