"""Bounded buffers for what programs write."""

from __future__ import annotations


class Head:
    """Keeps the first bytes and notes that more came."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self.truncated = False

    def add(self, chunk: bytes) -> None:
        """Take what came next."""
        room = self._limit - len(self._kept)
        self.truncated = self.truncated or len(chunk) > room
        self._kept += chunk[:room]

    def bytes(self) -> bytes:
        """What was kept."""
        return bytes(self._kept)

    def text(self) -> str:
        """What was kept, as text; bytes that are not UTF-8 become U+FFFD."""
        return self._kept.decode("utf-8", "replace")


class Tail(Head):
    """Keeps the last bytes."""

    def add(self, chunk: bytes) -> None:
        """Take what came next."""
        self._kept += chunk
        if len(self._kept) > 2 * self._limit:
            self._cut()

    def bytes(self) -> bytes:
        """What was kept."""
        self._cut()
        return bytes(self._kept)

    def text(self) -> str:
        """What was kept, as text; bytes that are not UTF-8 become U+FFFD."""
        return self.bytes().decode("utf-8", "replace")

    def _cut(self) -> None:
        excess = len(self._kept) - self._limit
        if excess > 0:
            self.truncated = True
            del self._kept[:excess]
