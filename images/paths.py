"""Where this room's files are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "images" / "environments.toml"
MATRIX = ROOT / "images" / "matrix.toml"
FAILURES = ROOT / "images" / "failures.toml"
TEMPLATES = ROOT / "images" / "templates"
LOCKS = ROOT / "images" / "locks"
UV_LOCK = LOCKS / "uv.txt"
DOCKERFILE = ROOT / "Dockerfile"
