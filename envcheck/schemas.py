"""JSON Schemas of what envcheck writes: ``python -m envcheck.schemas FOLDER`` writes them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Iterable, Optional

from core import jsonio
from core.status import CheckStatus
from envcheck import fields, saved, verdict
from envcheck.checks import registry
from envcheck.reading import UNAVAILABLE

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = Path(__file__).resolve().parents[1] / "docs" / "schemas"
_PLAIN: dict[str, dict[str, Any]] = {
    fields.TEXT: {"type": "string"},
    fields.FLAG: {"type": "boolean"},
    fields.COUNT: {"type": "integer", "minimum": 0},
    fields.NUMBER: {"type": "number"},
    fields.TEXTS: {"type": "array", "items": {"type": "string"}},
    fields.TABLE: {"type": "object", "additionalProperties": {"type": "string"}},
    fields.ANY: {},
}


def facts_schema() -> dict[str, Any]:
    """Schema of ``--save-facts``."""
    return {
        **_head("Facts of a host or an environment", saved.KIND),
        "type": "object",
        "required": ["schema", "kind", "scope", "facts"],
        "additionalProperties": False,
        "properties": {
            "schema": {"const": saved.SCHEMA},
            "kind": {"const": saved.KIND},
            "scope": {"enum": list(saved.SCOPES)},
            "note": {"type": "string", "description": "where the facts are from"},
            "facts": {"$ref": "#/$defs/facts"},
        },
        "$defs": {"facts": _facts(), "unavailable": _unavailable()},
    }


def verdict_schema() -> dict[str, Any]:
    """Schema of ``--json``."""
    words = [verdict.PASS, verdict.WARN, verdict.FAIL, verdict.UNKNOWN]
    properties = {
        "schema": {"const": verdict.SCHEMA},
        "kind": {"const": verdict.KIND},
        "scope": {"enum": list(saved.SCOPES)},
        "verdict": {"enum": words, "description": "unknown: nothing at all could be judged"},
        "strict": {"type": "boolean", "description": "whether warnings fail"},
        "counts": _closed({status.value: _PLAIN[fields.COUNT] for status in CheckStatus}),
        "facts": {"$ref": "#/$defs/facts"},
        "findings": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
        "checks": {
            "type": "object",
            "description": "what each finding's check is, by its id",
            "additionalProperties": {"$ref": "#/$defs/check"},
        },
    }
    return {
        **_head("Verdict on a host or an environment", verdict.KIND),
        **_closed(properties),
        "$defs": {
            "facts": _facts(),
            "unavailable": _unavailable(),
            "finding": _finding(),
            "check": _check(),
        },
    }


def documents() -> dict[str, dict[str, Any]]:
    """File name and schema of each."""
    return {
        "envcheck-facts.schema.json": facts_schema(),
        "envcheck-verdict.schema.json": verdict_schema(),
    }


def _head(title: str, kind: str) -> dict[str, Any]:
    return {"$schema": DIALECT, "$id": f"urn:torchrig:{kind}:1", "title": title}


def _closed(properties: dict[str, Any], optional: Iterable[str] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in set(optional)]
    return {
        "type": "object",
        "required": required,
        "additionalProperties": False,
        "properties": properties,
    }


def _facts() -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {item.name: _section(item) for item in fields.SECTIONS},
    }


def _section(item: fields.Section) -> dict[str, Any]:
    return _or_unavailable(item.about, _kind(item.kind, item.fields, ()))


def _field(item: fields.Field) -> dict[str, Any]:
    return _or_unavailable(item.about, _kind(item.kind, item.fields, item.values))


def _kind(kind: str, parts: tuple[fields.Field, ...], values: tuple[str, ...]) -> dict[str, Any]:
    if kind == fields.RECORD:
        return _record(parts)
    if kind == fields.RECORDS:
        return {"type": "array", "items": _record(parts)}
    return {"enum": list(values)} if values else dict(_PLAIN[kind])


def _record(parts: tuple[fields.Field, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "not": {"required": [UNAVAILABLE]},
        "properties": {part.name: _field(part) for part in parts},
    }


def _or_unavailable(about: str, schema: dict[str, Any]) -> dict[str, Any]:
    if not schema:
        return {"description": about}
    return {"description": about, "anyOf": [schema, {"$ref": "#/$defs/unavailable"}]}


def _unavailable() -> dict[str, Any]:
    return {
        "description": "not read, and why",
        **_closed({UNAVAILABLE: {"type": "string", "minLength": 1}}),
    }


def _finding() -> dict[str, Any]:
    texts = {"type": "string"}
    properties = {
        "id": {"type": "string", "pattern": r"^[a-z]+\.[a-z_]+$"},
        "title": {"type": "string", "minLength": 1},
        "status": {"enum": [status.value for status in CheckStatus]},
        "measured": texts,
        "expected": texts,
        "reason": {**texts, "description": "empty only for pass"},
        "remedy": {**texts, "description": "empty for neither warn nor fail"},
    }
    return {**_closed(properties), "allOf": _needs()}


def _needs() -> list[dict[str, Any]]:
    others = tuple(status.value for status in CheckStatus if status is not CheckStatus.PASS)
    return [_if(others, "reason", 1), _if(("warn", "fail"), "remedy", 1)]


def _if(statuses: tuple[str, ...], name: str, least: int) -> dict[str, Any]:
    return {
        "if": {"properties": {"status": {"enum": list(statuses)}}},
        "then": {"properties": {name: {"type": "string", "minLength": least}}},
    }


def _check() -> dict[str, Any]:
    texts = {"type": "string"}
    return _closed(
        {
            "severity": {
                "enum": list(registry.SEVERITIES),
                "description": "; ".join(f"{k}: {v}" for k, v in registry.SEVERITIES.items()),
            },
            "looks_at": texts,
            "why": texts,
            "source": texts,
        }
    )


def main(folder: Optional[Path] = None) -> None:
    """Write both schemas."""
    for name, schema in documents().items():
        jsonio.write((folder or FOLDER) / name, schema)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
