"""Load the saved machines: recorded ones whole, derived ones as changes to another."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TABLE = [
    {"name": "torch28-cuda124", "toolkit_cuda": "12.4", "wheel_cuda": "12.8"},
    {"name": "torch113-cuda117", "toolkit_cuda": "11.7", "wheel_cuda": "11.7"},
]
COMMON = {"schema": 1, "title": "", "python": "3.10", "lock_hash": "", "engine": "docker"}
DESCRIPTIONS = {
    "2.8.0": {
        **COMMON,
        **TABLE[0],
        "torch": "2.8.0",
        "torchvision": "0.23.0",
        "torchaudio": "2.8.0",
        "arch_list": ["8.6", "8.9", "9.0+PTX"],
        "lock": {"torch": "2.8.0", "numpy": "2.2.6", "torchvision": "0.23.0"},
    },
    "1.13.1": {
        **COMMON,
        **TABLE[1],
        "torch": "1.13.1",
        "torchvision": "0.14.1",
        "torchaudio": None,
        "arch_list": ["7.0", "7.5", "8.0", "8.6+PTX"],
        "lock": {"torch": "1.13.1", "numpy": "1.26.4", "setuptools": "80.10.2"},
    },
}


@dataclass
class Machine:
    """A saved machine and what the checks must say of it."""

    name: str
    scope: str
    facts: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    expect: dict[str, list[str]] = field(default_factory=dict)
    says: list[str] = field(default_factory=list)
    not_says: list[str] = field(default_factory=list)


def load(folder: str, name: str) -> Machine:
    """One machine, derived ones worked out."""
    data = json.loads((HERE / folder / f"{name}.json").read_text(encoding="utf-8"))
    if "from" not in data:
        return Machine(name, data["scope"], data["facts"])
    base = load(folder, data["from"])
    facts = copy.deepcopy(base.facts)
    for path, value in data["set"].items():
        put(facts, path, copy.deepcopy(value))
    picked = {key: data[key] for key in ("options", "expect", "says", "not_says")}
    return Machine(name, base.scope, facts, **picked)


def derived(folder: str) -> list[str]:
    """Names of the derived machines in a folder."""
    return [
        path.stem
        for path in sorted((HERE / folder).glob("*.json"))
        if "from" in json.loads(path.read_text(encoding="utf-8"))
    ]


def recorded(folder: str) -> list[str]:
    """Names of the whole ones."""
    known = derived(folder)
    return [p.stem for p in sorted((HERE / folder).glob("*.json")) if p.stem not in known]


def put(data: Any, path: str, value: Any) -> None:
    """Set a dotted path; a number steps into a list."""
    *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    for key in way:
        data = data[key]
    data[last] = value


def description(machine: Machine) -> dict[str, Any]:
    """environment.json of the environment that the machine is."""
    version = "1.13.1" if machine.facts["packages"]["torch"].startswith("1.13.1") else "2.8.0"
    whole = {**DESCRIPTIONS[version], **machine.options.get("environment", {})}
    return {**whole, "lock": {}} if machine.options.get("lock") is False else whole
