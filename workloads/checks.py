"""Compare an output with a reference of higher precision."""

from __future__ import annotations

import math
from typing import Any, Sequence

from core.records import OutputCheck


def relative_norm(output: Any, reference: Any, tolerance: float, source: str) -> OutputCheck:
    """Frobenius norm of the difference over the reference's; tensors of one shape."""
    error = (output.double() - reference).norm() / reference.norm()
    return OutputCheck("relative Frobenius norm", float(error), tolerance, source)


def largest_difference(output: Any, reference: Any, tolerance: float, source: str) -> OutputCheck:
    """Largest absolute difference; tensors of one shape."""
    error = (output.double() - reference).abs().max()
    return OutputCheck("largest absolute difference", float(error), tolerance, source)


def worst(checks: Sequence[OutputCheck]) -> OutputCheck:
    """The check nearest to, or farthest beyond, its tolerance; not finite is the worst."""
    return max(checks, key=lambda check: _badness(check.error / check.tolerance))


def verdict(check: OutputCheck) -> str:
    """Why a check failed; empty when it passed."""
    if not math.isfinite(check.error):
        return f"the output is not finite ({check.measure} against {check.reference})"
    if not check.passed:
        return (
            f"the output is wrong: {check.measure} {check.error:.3g} exceeds"
            f" {check.tolerance:.3g} against {check.reference}"
        )
    return ""


def _badness(ratio: float) -> float:
    return ratio if math.isfinite(ratio) else math.inf
