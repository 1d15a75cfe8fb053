"""Typed reading of facts: a field is a value of the right kind, or it was not read.

Facts are nested plain data. A field, or a whole section, that could not be read is
``{"unavailable": "why"}``. Checks read through ``Facts``, so a field that is absent, unavailable
or of another kind than expected ends the check with ``Unread`` and never with a pass.
"""

from __future__ import annotations

import math
from typing import Any, Mapping, Optional

from core import versions

UNAVAILABLE = "unavailable"


class Unread(Exception):
    """A fact that a check needs was not read."""

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        self.why = why
        super().__init__(f"{path} was not read: {why}")


class Facts:
    """A read-only view of facts, or of one section of them.

    Paths are dotted: ``facts.text("system.kernel")``. Every reader raises ``Unread`` for a field
    that is absent, unavailable, or not of the kind asked for.
    """

    def __init__(self, data: Any, path: str = "") -> None:
        self._data = data
        self._path = path

    def value(self, path: str) -> Any:
        """The raw value at ``path``."""
        node, walked = self._data, self._path
        for key in path.split("."):
            walked = f"{walked}.{key}" if walked else key
            node = self._step(node, key, walked)
        return node

    def _step(self, node: Any, key: str, walked: str) -> Any:
        if not isinstance(node, Mapping) or key not in node:
            raise Unread(walked, "not recorded")
        found = node[key]
        if isinstance(found, Mapping) and UNAVAILABLE in found:
            raise Unread(walked, str(found[UNAVAILABLE]) or "no reason recorded")
        if found is None:
            raise Unread(walked, "empty")
        return found

    def text(self, path: str) -> str:
        """A text that is not blank."""
        found = self.value(path)
        if not isinstance(found, str) or not found.strip():
            raise self._wrong(path, found, "a text")
        return found

    def choice(self, path: str, allowed: tuple[str, ...]) -> str:
        """One of a few known words."""
        found = self.text(path)
        if found not in allowed:
            raise self._wrong(path, found, "one of " + ", ".join(allowed))
        return found

    def version(self, path: str) -> str:
        """A text that begins with a version number."""
        found = self.text(path)
        try:
            versions.release(found)
        except ValueError:
            raise self._wrong(path, found, "a version") from None
        return found

    def flag(self, path: str) -> bool:
        """True or false."""
        found = self.value(path)
        if not isinstance(found, bool):
            raise self._wrong(path, found, "true or false")
        return found

    def number(self, path: str) -> float:
        """A finite number."""
        found = self.value(path)
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            raise self._wrong(path, found, "a number")
        if isinstance(found, float) and not math.isfinite(found):
            raise self._wrong(path, found, "a finite number")
        return found

    def count(self, path: str) -> int:
        """A whole number that is not negative."""
        found = self.number(path)
        if not isinstance(found, int) or found < 0:
            raise self._wrong(path, found, "a count")
        return found

    def texts(self, path: str) -> list[str]:
        """A list of texts, possibly empty."""
        found = self.value(path)
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise self._wrong(path, found, "a list of texts")
        return found

    def table(self, path: str) -> dict[str, str]:
        """A table of texts, such as packages and their versions."""
        found = self.value(path)
        if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
            raise self._wrong(path, found, "a table of texts")
        return found

    def each(self, path: str) -> list[Facts]:
        """A list of records, each as its own view."""
        found = self.value(path)
        if not isinstance(found, list) or not all(isinstance(item, Mapping) for item in found):
            raise self._wrong(path, found, "a list of records")
        return [Facts(item, f"{self._full(path)}[{place}]") for place, item in enumerate(found)]

    def maybe_text(self, path: str) -> Optional[str]:
        """A text, or None where it was not read: for detail that no judgement rests on."""
        try:
            return self.text(path)
        except Unread:
            return None

    def was_read(self, path: str) -> bool:
        """Whether the field holds any value."""
        try:
            self.value(path)
        except Unread:
            return False
        return True

    def _full(self, path: str) -> str:
        return f"{self._path}.{path}" if self._path else path

    def _wrong(self, path: str, found: Any, wanted: str) -> Unread:
        return Unread(self._full(path), f"{str(found)[:40]!r} is not {wanted}")
