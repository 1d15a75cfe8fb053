"""Typed statuses: never a number, a blank or NaN."""

from __future__ import annotations

from enum import Enum


class TrialStatus(str, Enum):
    """What became of one trial, or of a row when results are merged."""

    OK = "ok"
    FAILED = "failed"  # it ran and the output was wrong or not finite, or it raised
    TIMEOUT = "timeout"
    UNSUPPORTED = "unsupported"  # this version or this card cannot do it
    SKIPPED = "skipped"  # not asked for, or something it needs is absent
    LOST = "lost"  # the device, the process or its container went away
    MISSING = "missing"  # merge only: planned, but no result file
    UNREADABLE = "unreadable"  # merge only: a damaged result file
    UNVERIFIABLE = "unverifiable"  # merge only: no identity or settings

    @property
    def is_fault(self) -> bool:
        """Whether this status makes a run end with exit status 1."""
        return self not in (TrialStatus.OK, TrialStatus.UNSUPPORTED, TrialStatus.SKIPPED)


class CheckStatus(str, Enum):
    """The outcome of one check of a host or an environment."""

    PASS = "pass"  # noqa: S105 - a status word, not a password
    INFO = "info"
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


class Flag(str, Enum):
    """What is true of a good trial and must be known to read it."""

    LAUNCH_BOUND = "launch-bound"
    NOISY = "noisy"
    THROTTLED = "throttled"
    CPU_TRACE_ONLY = "cpu-trace-only"
    FELL_BACK_TO_EAGER = "fell-back-to-eager"
    CPU_KERNEL = "cpu-kernel"  # the extension was built without CUDA code
    IMPLAUSIBLE = "implausible"  # merge only: a rate above what the card can do
