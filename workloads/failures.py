"""Sort what a workload raised into a status, a reason and a remedy."""

from __future__ import annotations

from core.status import TrialStatus

_MEMORY_TEXTS = (
    "out of memory",
    "not enough memory",
    "can't allocate memory",
    "alloc_failed",  # cuBLAS and cuSOLVER: CUBLAS_STATUS_ALLOC_FAILED
)
_LOST_TEXTS = ("gpu is lost", "fallen off the bus", "devices unavailable", "device unavailable")
_NO_CODE_TEXTS = ("no kernel image is available",)


def classify(error: BaseException) -> tuple[TrialStatus, str, str]:
    """Status, reason and remedy for an exception."""
    line, text = last_line(error), str(error).lower()
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


def last_line(error: BaseException) -> str:
    """The exception's type and the last line of its text that is not empty."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1]}" if lines else type(error).__name__
