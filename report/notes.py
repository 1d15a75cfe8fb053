"""What has to be said about single results, checks and the run: who, what, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

from core.status import Flag, TrialStatus
from report.schema import Report

_FLAG_WORDS = {
    Flag.LAUNCH_BOUND.value: "launch-bound: the host, not the device, sets this time",
    Flag.NOISY.value: "noisy: the samples had not settled when the time cap ended them",
    Flag.THROTTLED.value: "throttled: the device slowed down for heat or a hardware reason",
    Flag.CPU_TRACE_ONLY.value: "the trace holds no device events",
    Flag.FELL_BACK_TO_EAGER.value: "fell back to eager",
    Flag.CPU_KERNEL.value: "the extension holds no CUDA code",
    Flag.IMPLAUSIBLE.value: "implausible: a rate above what the card can do",
}


@dataclass(frozen=True)
class Note:
    """Something to know about one result: who, what, and what to do."""

    who: str
    what: str
    remedy: str
    log: str = ""


def not_measured(report: Report) -> list[Note]:
    """Every result that is not ok, with its reason and remedy; the same reason once per row."""
    return [
        note
        for row in report.rows
        for note in merged(
            Note(
                f"{row.workload}/{row.variant} on {row.device} in {name}",
                f"{result.status.value}: {_sentence(result.reason)}",
                result.remedy,
                result.log,
            )
            for name, result in row.results.items()
            if result.status is not TrialStatus.OK
        )
    ]


def flagged(report: Report) -> list[Note]:
    """Every flag on good results, in words, with all of which it is true."""
    return merged(
        Note(f"{row.workload}/{row.variant} on {row.device} in {name}", _flag(flag), "")
        for row in report.rows
        for name, result in row.results.items()
        for flag in result.flags
    )


def check_notes(report: Report) -> list[Note]:
    """Checks that warn or fail."""
    return [
        Note(
            f"{check.where}: {check.title}",
            f"{check.status.value}: {check.reason} (measured {check.measured}, "
            f"expected {check.expected})",
            check.remedy,
        )
        for check in report.checks
    ]


def problem_notes(report: Report) -> list[Note]:
    """What is wrong with the run as a whole."""
    return [Note(problem.level, problem.what, problem.remedy) for problem in report.problems]


def merged(notes: Iterable[Note]) -> list[Note]:
    """Notes that say the same about several are one note that names them all."""
    who: dict[tuple[str, str, str], list[str]] = {}
    for note in notes:
        who.setdefault((note.what, note.remedy, note.log), []).append(note.who)
    return [Note(", ".join(names), *said) for said, names in who.items()]


def _flag(flag: str) -> str:
    return _sentence(_FLAG_WORDS.get(flag, flag))


def _sentence(text: str) -> str:
    return text if not text or text.rstrip().endswith((".", "!", "?")) else f"{text.rstrip()}."
