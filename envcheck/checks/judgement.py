"""How a check says what it found."""

from __future__ import annotations

from dataclasses import dataclass

from core.status import CheckStatus


@dataclass(frozen=True)
class Judgement:
    """A check's answer: everything of a finding but the check's own name and title."""

    status: CheckStatus
    measured: str
    expected: str
    reason: str = ""
    remedy: str = ""


def passed(measured: str, expected: str) -> Judgement:
    """What was measured is what was expected."""
    return Judgement(CheckStatus.PASS, measured, expected)


def info(measured: str, expected: str, reason: str) -> Judgement:
    """Not a fault, but a reader must know it."""
    return Judgement(CheckStatus.INFO, measured, expected, reason)


def warned(measured: str, expected: str, reason: str, remedy: str) -> Judgement:
    """Work can go on; something will be missing or slower."""
    return Judgement(CheckStatus.WARN, measured, expected, reason, remedy)


def failed(measured: str, expected: str, reason: str, remedy: str) -> Judgement:
    """Work must not go on before this is put right."""
    return Judgement(CheckStatus.FAIL, measured, expected, reason, remedy)


def skipped(reason: str, expected: str = "") -> Judgement:
    """Nothing was judged, and why."""
    return Judgement(CheckStatus.SKIP, "not checked", expected, reason)
