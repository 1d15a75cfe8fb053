"""The host in a few words, and the checks that did not pass, from the run's ``facts/``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping, Sequence

from core.errors import ResultError
from core.records import Finding, TrialResult
from core.status import CheckStatus
from core.validity import is_number
from report.reading import clip, read_object
from report.schema import Check, Problem

NOT_WELL = (CheckStatus.WARN, CheckStatus.FAIL)
_SYSTEM = {
    "CPU": ("cpu_model",),
    "processors": ("cpus",),
    "memory": ("memory_bytes",),
    "distribution": ("distribution", "name"),
    "kernel": ("kernel",),
    "virtualisation": ("virtualisation",),
}
_TRIAL = {"CPU": "cpu", "processors": "cpu_threads", "kernel": "kernel"}


def read_facts(run_folder: Path) -> tuple[list[Check], dict[str, str], list[Problem]]:
    """Checks that warn or fail, the host as its facts tell it, and what could not be read."""
    checks: list[Check] = []
    host: dict[str, str] = {}
    problems: list[Problem] = []
    for path in sorted((run_folder / "facts").glob("*.json")):
        data = _document(path, problems)
        checks += [
            _check(path.stem, finding)
            for item in _list(data.get("findings"))
            if (finding := _finding(path, item, problems)) and finding.status in NOT_WELL
        ]
        if path.stem == "host":
            host = _host(data.get("facts"))
    return checks, host, problems


def host_of(trials: Sequence[TrialResult]) -> dict[str, str]:
    """The host as the trials saw it, where no facts were kept."""
    seen = next((trial.identity for trial in trials if trial.identity.get("cpu")), {})
    return {label: str(seen[key])[:200] for label, key in _TRIAL.items() if seen.get(key)}


def _document(path: Path, problems: list[Problem]) -> dict[str, Any]:
    try:
        return read_object(path)
    except (ResultError, OSError) as error:
        problems.append(_unread(path, error))
        return {}


def _finding(path: Path, item: object, problems: list[Problem]) -> Finding | None:
    try:
        if not isinstance(item, dict):
            raise TypeError("a finding is not an object")
        return Finding.from_dict(item)
    except (ResultError, TypeError) as error:
        problems.append(_unread(path, error))
        return None


def _unread(path: Path, error: Exception) -> Problem:
    what = f"facts/{path.name} cannot be read: {error}"
    return Problem(level="warning", what=clip(what), remedy="Run `invoke envcheck` again.")


def _check(where: str, finding: Finding) -> Check:
    texts = ("id", "title", "measured", "expected", "reason", "remedy")
    fields = {key: clip(getattr(finding, key)) for key in texts}
    return Check(where=where, status=finding.status, **fields)


def _host(facts: object) -> dict[str, str]:
    system = facts.get("system") if isinstance(facts, dict) else None
    found = {label: _walk(system, path) for label, path in _SYSTEM.items()}
    return {label: _shown(label, value) for label, value in found.items() if value is not None}


def _walk(node: object, path: Sequence[str]) -> str | int | float | None:
    for key in path:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node if isinstance(node, (str, int, float)) else None


def _shown(label: str, value: str | float) -> str:
    if label == "memory" and is_number(value):
        return f"{float(value) / 2**30:.1f} GiB"
    return str(value)[:200]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
