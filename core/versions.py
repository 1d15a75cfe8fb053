"""Version numbers as they occur here: ``2.8.0+cu128``, ``12.4``, ``550.54.14``, ``12040``.

The standard library has no version type and ``packaging`` is not in every environment, so the
few comparisons that environments need live here.
"""

from __future__ import annotations

import re
from typing import Optional

_RELEASE = re.compile(r"\s*v?(\d+(?:\.\d+)*)")


def release(text: str) -> tuple[int, ...]:
    """The leading dotted numbers: ``"2.8.0+cu128"`` gives ``(2, 8, 0)``.

    Raises:
        ValueError: the text does not begin with a number.
    """
    match = _RELEASE.match(text)
    if match is None:
        raise ValueError(f"{text!r} does not begin with a version number")
    return tuple(int(part) for part in match.group(1).split("."))


def major_minor(text: str) -> tuple[int, int]:
    """The first two numbers, the second 0 where absent: ``"12"`` gives ``(12, 0)``."""
    parts = release(text)
    return parts[0], parts[1] if len(parts) > 1 else 0


def local_tag(text: str) -> str:
    """What follows the plus sign: ``"2.8.0+cu128"`` gives ``"cu128"``; otherwise empty."""
    return text.partition("+")[2]


def cuda_from_tag(tag: str) -> Optional[str]:
    """``"cu128"`` gives ``"12.8"``, ``"cu117"`` gives ``"11.7"``; anything else gives None."""
    match = re.fullmatch(r"cu(\d+)(\d)", tag)
    return f"{match.group(1)}.{match.group(2)}" if match else None


def cuda_from_number(number: int) -> str:
    """CUDA's integer encoding: ``12040`` gives ``"12.4"``."""
    return f"{number // 1000}.{number % 1000 // 10}"


def same_version(left: str, right: str) -> bool:
    """Equal releases, the local part and trailing zeros apart: 2.8 equals 2.8.0+cu128."""
    return _trimmed(left) == _trimmed(right)


def _trimmed(text: str) -> tuple[int, ...]:
    parts = list(release(text))
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
