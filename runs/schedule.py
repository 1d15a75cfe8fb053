"""In which order trials run: random from the seed, interleaved, reversed every other round."""

from __future__ import annotations

import random
from typing import Sequence

from runs.cells import Cell, PlannedTrial


def schedule(cells: Sequence[Cell], *, rounds: int, seed: int) -> tuple[PlannedTrial, ...]:
    """Every cell once per round.

    Within a round the environments of one row (device, workload, variant) follow each other, so
    that a drift of the machine meets all of them alike. Rows, and the environments within a row,
    are shuffled once per pair of rounds; the second round of a pair plays the first one backwards,
    so whoever went first in one goes last in the other.
    """
    return tuple(
        PlannedTrial(cell, number)
        for number in range(rounds)
        for cell in _round_order(cells, number=number, seed=seed)
    )


def _round_order(cells: Sequence[Cell], *, number: int, seed: int) -> list[Cell]:
    order = _shuffled(cells, random.Random(f"{seed}:{number // 2}"))  # noqa: S311 - not a secret
    return order[::-1] if number % 2 else order


def _shuffled(cells: Sequence[Cell], source: random.Random) -> list[Cell]:
    rows: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.environment)):
        rows.setdefault(cell.row, []).append(cell)
    groups = list(rows.values())
    source.shuffle(groups)
    for group in groups:
        source.shuffle(group)
    return [cell for group in groups for cell in group]
