"""The one error of this room."""

from __future__ import annotations

from core.errors import TorchrigError


class ExtensionUnavailable(TorchrigError):
    """The compiled operators cannot be built or loaded here.

    Args:
        reason: why, one sentence with its full stop.
        remedy: what to do next.
        what: what happened; by default, that the operators are not available.
    """

    def __init__(
        self, reason: str, remedy: str, *, what: str = "The compiled operators are not available."
    ) -> None:
        self.reason = reason
        super().__init__(what, why=reason, remedy=remedy)
