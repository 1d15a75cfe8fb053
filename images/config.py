"""The table of environments, read and judged in one go."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from core.errors import InputError
from images import matrix as combinations
from images import toml
from images.paths import TABLE
from images.schema import MEANINGS, Environment

SCHEMA = 1
_TOP = ("schema", "baseline", "environments")


@dataclass(frozen=True)
class Table:
    """Every environment, in the order of the file.

    ``baseline`` is the name of the one that others are compared with.
    """

    environments: tuple[Environment, ...]
    baseline: str

    @property
    def names(self) -> tuple[str, ...]:
        """Every environment's name."""
        return tuple(environment.name for environment in self.environments)

    @property
    def default_names(self) -> tuple[str, ...]:
        """Names of the environments that are taken when none is asked for."""
        return tuple(environment.name for environment in self.environments if environment.default)

    @property
    def default(self) -> Environment:
        """The first default environment: the top-level Dockerfile is its."""
        return self.get(self.default_names[0])

    def get(self, name: str) -> Environment:
        """The environment of that name.

        Raises:
            InputError: there is none; the nearest names are given.
        """
        for environment in self.environments:
            if environment.name == name:
                return environment
        raise InputError(
            f"There is no environment {name!r}.",
            why=f"The table has {', '.join(self.names)}.",
            remedy=_suggestion(name, self.names) or "Take one of these.",
        )


def load_table(path: Path = TABLE) -> Table:
    """Read the table and judge it against ``matrix.toml``.

    Raises:
        InputError: names every place that is wrong, not only the first.
    """
    data = toml.read(path)
    _refuse_other_schema(path, data.get("schema"))
    rows = data.get("environments")
    found = _top_level(data)
    environments = []
    for name, row in (rows if isinstance(rows, Mapping) else {}).items():
        environment, faults = read_row(name, row)
        found += faults
        environments += [environment] if environment else []
    found += _judged(environments)
    if found:
        raise _refusal(path, found)
    return Table(environments=tuple(environments), baseline=data["baseline"])


def read_row(name: str, row: object) -> tuple[Environment | None, list[str]]:
    """One row as an environment, or None with what is wrong with it."""
    place = f"environments.{name}"
    if not isinstance(row, Mapping):
        return None, [f"{place}: must be a table of fields"]
    if "name" in row:
        return None, [f"{place}.name: is given by the heading; leave it out"]
    try:
        return Environment.model_validate({**row, "name": name}), []
    except ValidationError as error:
        return None, [_problem(place, details) for details in error.errors()]


def _judged(environments: Iterable[Environment]) -> list[str]:
    matrix = combinations.load_matrix()
    return [
        f"environments.{environment.name}.{field}: {message}"
        for environment in environments
        for field, message in combinations.problems(environment, matrix)
    ]


def _top_level(data: Mapping[str, Any]) -> list[str]:
    found = [_unknown(key, _TOP, "") for key in data if key not in _TOP]
    rows = data.get("environments")
    if not isinstance(rows, Mapping) or not rows:
        return [*found, "environments: at least one [environments.NAME] is needed"]
    if str(data.get("baseline")) not in rows:
        given = data.get("baseline")
        hint = _suggestion(str(given), rows) or f"Take one of {', '.join(rows)}."
        found.append(f"baseline: {given!r} is not the name of an environment. {hint}")
    if not any(isinstance(row, Mapping) and row.get("default", True) for row in rows.values()):
        found.append("environments: at least one needs default = true")
    return found


def _refuse_other_schema(path: Path, schema: object) -> None:
    if schema == SCHEMA and not isinstance(schema, bool):
        return
    newer = isinstance(schema, int) and schema > SCHEMA
    raise InputError(
        f"{path} has schema {schema!r}.",
        why=f"This version reads schema {SCHEMA}.",
        remedy="Update the tool." if newer else f"Write schema = {SCHEMA} at its top.",
    )


def _problem(place: str, details: ErrorDetails) -> str:
    where = ".".join(str(part) for part in details["loc"])
    field = str(details["loc"][0]) if details["loc"] else ""
    if details["type"] == "extra_forbidden":
        return _unknown(field, [key for key in Environment.model_fields if key != "name"], place)
    if details["type"] == "missing":
        return f"{place}.{where}: is missing; it holds {MEANINGS[field]}"
    meaning = f"; it holds {MEANINGS[field]}" if field in MEANINGS else ""
    return f"{place}.{where}: {details['input']!r} will not do ({_reason(details)}){meaning}"


def _reason(details: ErrorDetails) -> str:
    if details["type"] == "string_pattern_mismatch":
        return "not in the form expected"
    return details["msg"].removeprefix("Value error, ").lower()


def _unknown(key: str, known: Iterable[str], place: str) -> str:
    names = list(known)
    where = f"{place}.{key}" if place else key
    hint = _suggestion(key, names) or f"Known: {', '.join(names)}."
    return f"{where}: is not a known field. {hint}"


def _suggestion(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=2, cutoff=0.5)
    return f"Perhaps you meant {' or '.join(near)}." if near else ""


def _refusal(path: Path, found: list[str]) -> InputError:
    count = "one problem" if len(found) == 1 else f"{len(found)} problems"
    listing = "\n".join(f"  - {problem}" for problem in found)
    return InputError(
        f"{path} has {count}:\n{listing}\n",
        remedy="Correct these places; nothing was built.",
    )
