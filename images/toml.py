"""Read a TOML file, or say where it breaks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from core.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read(path: Path) -> dict[str, Any]:
    """The file's content.

    Raises:
        InputError: it cannot be read, or it is not TOML (with the line and column).
    """
    if not path.is_file():
        raise InputError(
            f"{path} is not a file.", remedy="Name a table that exists and that you may read."
        )
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"{path} cannot be read.",
            why=f"{error.strerror}.",
            remedy="Name a table that exists and that you may read.",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"{path} is not valid TOML.",
            why=f"{error}.",
            remedy="Correct that place.",
        ) from error
    return content
