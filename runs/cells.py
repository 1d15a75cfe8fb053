"""What is planned one at a time: a cell, and one trial of it."""

from __future__ import annotations

import difflib
import re
from dataclasses import asdict, dataclass
from typing import Any, Iterable, Mapping

from core.errors import InputError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*(?:_[A-Za-z0-9.+-]+)*")
_LONGEST_NAME = 64


@dataclass(frozen=True)
class Cell:
    """An environment, a device (``cpu`` or ``cuda``), a workload and its variant.

    Raises:
        InputError: a name cannot be part of a file name. Letters, digits, ``.``, ``+``, ``-``
            and single underscores can; the parts of a file name are told apart by two.
    """

    environment: str
    device: str
    workload: str
    variant: str

    def __post_init__(self) -> None:
        for name in (self.environment, self.device, self.workload, self.variant):
            _refuse_unsafe(name)

    @property
    def row(self) -> tuple[str, str, str]:
        """Device, workload and variant: what environments are compared on."""
        return self.device, self.workload, self.variant


@dataclass(frozen=True)
class PlannedTrial:
    """One fresh process of one cell in one round (counted from 0)."""

    cell: Cell
    round: int

    @property
    def file(self) -> str:
        """Name of its result file inside the run's ``trials/``."""
        cell = self.cell
        parts = (cell.environment, cell.device, cell.workload, cell.variant, f"r{self.round}")
        return "__".join(parts) + ".json"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for plan.json, the file's name included so that readers need no rule."""
        return {**asdict(self.cell), "round": self.round, "file": self.file}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PlannedTrial:
        """Read back what ``to_dict`` wrote; the file's name is derived again, not believed."""
        names = {key: data[key] for key in ("environment", "device", "workload", "variant")}
        if not all(isinstance(name, str) for name in names.values()):
            raise TypeError("the names of a planned trial must be text")
        return cls(cell=Cell(**names), round=_round_number(data["round"]))


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence that names the nearest known name, or all of them."""
    names = sorted(set(known))
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"Did you mean {close[0]}?" if close else f"Known are: {', '.join(names) or 'none'}."


def _refuse_unsafe(name: str) -> None:
    if len(name) <= _LONGEST_NAME and _NAME.fullmatch(name):
        return
    raise InputError(
        f"{name!r} cannot be part of a result's file name.",
        why="Letters, digits, '.', '+', '-' and single underscores can, 64 characters at most.",
        remedy="Rename the environment, workload or variant.",
    )


def _round_number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a round")
    return value
