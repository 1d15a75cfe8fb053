"""Strict, atomic JSON.

Nothing written here holds NaN or Infinity, and no reader ever sees half a file: text goes to a
temporary name in the same folder, is flushed to disk, and is then renamed.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from core.errors import ResultError

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LARGEST_WHOLE = 2**63
MAX_BYTES = 64 * 1024 * 1024


def dumps(data: Any) -> str:
    """Strict JSON text, keys in the order given, a newline at the end.

    Raises:
        ValueError: a float is not finite.
    """
    return json.dumps(data, allow_nan=False, ensure_ascii=False, indent=2) + "\n"


def loads(text: str, *, name: str = "JSON text") -> Any:
    """Parse strict JSON. Half of a surrogate pair, which no output can hold, becomes ``?``.

    Raises:
        ResultError: not JSON, a number that is not finite or beyond 64 bits, or nesting too deep.
    """
    try:
        data = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_bounded
        )
        if _ESCAPED_SURROGATE.search(text):
            data = json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
        return data
    except (ValueError, RecursionError) as error:
        raise ResultError(
            f"{name} is not valid JSON.",
            why=f"{error}.",
            remedy="Write it again; a file that was cut off cannot be repaired.",
        ) from error


def write(path: Path, data: Any) -> None:
    """Write strict JSON so that ``path`` is always whole or absent."""
    write_text(path, dumps(data))


def write_text(path: Path, text: str) -> None:
    """Write text so that ``path`` is always whole or absent."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write bytes so that ``path`` is always whole or absent; a link there is replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read(path: Path, *, max_bytes: int = MAX_BYTES) -> Any:
    """Read strict JSON from a regular file of bounded size.

    Raises:
        ResultError: absent, not a regular file, too large, not UTF-8, or not strict JSON.
    """
    if not path.is_file():
        raise ResultError(
            f"{path} is not a file.",
            remedy="Name a file that this tool wrote.",
        )
    if path.stat().st_size > max_bytes:
        raise ResultError(
            f"{path} is larger than {max_bytes // (1024 * 1024)} MiB.",
            why="No result of this tool is that large.",
            remedy="Name a file that this tool wrote.",
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultError(
            f"{path} cannot be read.",
            why=f"{error}.",
            remedy="Check its permissions, or write it again.",
        ) from error
    return loads(text, name=str(path))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _bounded(text: str) -> int:
    if len(text) > 20 or abs(int(text)) > _LARGEST_WHOLE:
        raise ValueError(f"{text[:20]} is beyond 64 bits")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is out of range")
    return value
