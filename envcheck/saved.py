"""Facts in a file: a host can be judged on any machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping

from core import jsonio
from core.errors import InputError, ResultError
from envcheck.facts.redact import encodable

SCHEMA = 1
KIND = "envcheck-facts"
SCOPES = ("host", "environment", "active")


def document(facts: Mapping[str, Any], scope: str, note: str = "") -> dict[str, Any]:
    """The file's content; ``note`` says where the facts are from."""
    noted = {"note": note} if note else {}
    return {"schema": SCHEMA, "kind": KIND, "scope": scope, **noted, "facts": dict(facts)}


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """Scope and facts of a saved file.

    Raises:
        InputError: not a file of this kind, or of a newer schema.
    """
    try:
        data = jsonio.read(path)
    except ResultError as error:
        raise InputError(error.what, why=error.why, remedy=error.remedy) from error
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise _unusable(path, f"Its kind is not {KIND}.")
    schema, scope, facts = data.get("schema"), data.get("scope"), data.get("facts")
    if not isinstance(schema, int) or isinstance(schema, bool):
        raise _unusable(path, "Its schema is no whole number.")
    if schema > SCHEMA:
        raise InputError(
            f"{path} was written with schema {schema}.",
            why=f"This version reads schemas up to {SCHEMA}.",
            remedy="Update the tool, or judge the file with the version that wrote it.",
        )
    if schema != SCHEMA or not isinstance(facts, dict) or scope not in SCOPES:
        raise _unusable(path, "Its schema, scope or facts are not usable.")
    try:
        return scope, encodable(facts)
    except RecursionError as error:
        raise _unusable(path, "Its facts are nested too deeply.") from error


def _unusable(path: Path, why: str) -> InputError:
    return InputError(
        f"{path} holds no saved facts.", why=why, remedy="Write one with --save-facts FILE."
    )
