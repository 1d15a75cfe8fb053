"""One field of the facts: a value, or why there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

from envcheck.reading import UNAVAILABLE


def unavailable(why: str) -> dict[str, str]:
    """The field of something that was not read."""
    return {UNAVAILABLE: why.strip() or "no reason given"}


def attempt(read: Callable[..., Any], *args: Any) -> Any:
    """What ``read(*args)`` returns, or an unavailable field that names its error."""
    try:
        return read(*args)
    except FileNotFoundError as error:
        return unavailable(f"{error.filename or error} does not exist")
    except PermissionError as error:
        return unavailable(f"no permission to read {error.filename or error}")
    except Exception as error:  # noqa: BLE001 - whatever a machine does, a collector never raises
        return unavailable(f"{type(error).__name__}: {error}")


def read_text(path: str, limit: int = 65536) -> str:
    """The beginning of a text file, stripped."""
    with Path(path).open(encoding="utf-8", errors="replace") as stream:
        return stream.read(limit).strip()
