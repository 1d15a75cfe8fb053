"""Errors a user can act on.

Every error says what happened, why, and what to do next, in one paragraph::

    TorchrigError
    ├── InputError          what the user handed us is wrong              exit 2
    ├── EngineError         the engine that should run commands does not  exit 1
    │   └── EngineRefused   a choice the tool will not make in silence    exit 2
    ├── BuildError          an image or an environment could not be made  exit 1
    ├── CheckFailed         a host or environment check failed            exit 1
    └── ResultError         a stored result cannot be used                exit 1

Exit status 1 means a check, a workload or a gate failed; 2 means wrong input found by us.
"""

from __future__ import annotations


class TorchrigError(Exception):
    """Base of every error that is shown to a user without a traceback.

    Args:
        what: what happened, one sentence with its full stop.
        why: the cause as far as it is known; may be empty.
        remedy: what to do next; never empty.
    """

    exit_code = 1

    def __init__(self, what: str, *, why: str = "", remedy: str) -> None:
        if not remedy:
            raise ValueError("an error must carry a remedy")
        self.what = what
        self.why = why
        self.remedy = remedy
        super().__init__(" ".join(part for part in (what, why, remedy) if part))


class InputError(TorchrigError):
    """The table, an option or a file that the user handed over is wrong."""

    exit_code = 2


class EngineError(TorchrigError):
    """The engine that should run commands is missing, dead or refuses."""


class EngineRefused(EngineError):
    """The engine that was asked for cannot serve, and another is not taken in silence."""

    exit_code = 2


class BuildError(TorchrigError):
    """An image or an environment could not be made."""


class CheckFailed(TorchrigError):
    """A check of the host or of an environment failed."""


class ResultError(TorchrigError):
    """A stored result cannot be used."""
