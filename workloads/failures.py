"""Sort what a workload raised into a status, a reason and a remedy."""

from __future__ import annotations

import re

from core.status import TrialStatus

_MEMORY_TEXTS = (
    "out of memory",
    "not enough memory",
    "can't allocate memory",
    "alloc_failed",  # cuBLAS and cuSOLVER: CUBLAS_STATUS_ALLOC_FAILED
)
_LOST_TEXTS = ("gpu is lost", "fallen off the bus", "devices unavailable", "device unavailable")
_TELLING = re.compile(r"\berror: |cannot find|undefined (symbol|reference)|No such file")
_NO_CODE_TEXTS = ("no kernel image is available",)


def classify(error: BaseException) -> tuple[TrialStatus, str, str]:
    """Status, reason and remedy for an exception."""
    line, text = summary(error), str(error).lower()
    if is_out_of_memory(error):
        return (
            TrialStatus.FAILED,
            f"out of memory: {line}",
            "Free the device's memory, or use a smaller preset.",
        )
    if any(known in text for known in _LOST_TEXTS):
        return TrialStatus.LOST, line, "Check the device on the host, then resume the run."
    if any(known in text for known in _NO_CODE_TEXTS):
        return TrialStatus.UNSUPPORTED, line, "Use an environment built for this card."
    return TrialStatus.FAILED, line, "Run this one trial by itself to see its whole output."


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, by torch's class where it has one, else by the text."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and any(
        known in str(error).lower() for known in _MEMORY_TEXTS
    )


def summary(error: BaseException) -> str:
    """The exception's type, the first line of its text, and the first later line that tells more.

    torch ends its reports with advice on debugging and begins them with what happened; a
    compiler's own words stand in between.
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    told = next((line for line in lines[1:] if _TELLING.search(line)), "")
    return f"{type(error).__name__}: " + "; ".join(filter(None, (lines[0], told)))
