"""What the build of the custom kernels left beside its libraries; nothing is imported."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from core import jsonio
from envcheck.facts.field import attempt, unavailable

MAX_BYTES = 1024 * 1024


def folder() -> Path:
    """Where the built kernels are: $TORCHRIG_KERNELS, else kernels/_build of this checkout."""
    named = os.environ.get("TORCHRIG_KERNELS")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "kernels" / "_build"


def collect() -> Any:
    """The ``extension`` section: every build.json found, the newest last."""
    records = sorted(folder().rglob("build.json"), key=lambda path: path.stat().st_mtime)
    if not records:
        return unavailable("the kernels have not been built")
    return attempt(_read, records)


def _read(records: list[Path]) -> dict[str, Any]:
    return {"builds": [jsonio.read(path, max_bytes=MAX_BYTES) for path in records]}
