"""Leave out of the facts what names a person."""

from __future__ import annotations

from typing import Any


def without_home(data: Any, home: str) -> Any:
    """A copy of ``data`` in which every path below ``home`` begins with ``~``."""
    if home in ("", "/"):
        return data
    if isinstance(data, str):
        return data.replace(home.rstrip("/") + "/", "~/")
    if isinstance(data, list):
        return [without_home(item, home) for item in data]
    if isinstance(data, dict):
        return {key: without_home(value, home) for key, value in data.items()}
    return data
