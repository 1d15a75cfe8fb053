"""`invoke list`: environments, workloads and presets, as data and as tables."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from rich.console import Console
from rich.table import Table as Grid

from images.config import Table
from runs.catalog import Offer
from runs.plan import ROUNDS
from runs.progress import duration
from workloads.base import Workload


def catalogue(
    table: Table, suite: Mapping[str, Workload], offers: Sequence[Offer]
) -> dict[str, Any]:
    """Everything that can be asked for, as plain data (schema 1).

    ``presets`` gives, per device, the seconds of one environment for all rounds.
    """
    return {
        "schema": 1,
        "baseline": table.baseline,
        "environments": [row.model_dump() for row in table.environments],
        "workloads": [
            {
                "name": workload.name,
                "summary": workload.summary,
                "variants": [
                    {"name": v.name, "summary": v.summary, "devices": list(v.devices)}
                    for v in workload.variants
                ],
                "presets": list(workload.presets),
            }
            for workload in suite.values()
        ],
        "presets": {
            preset: {
                "rounds": rounds,
                "variants": sum(preset in offer.seconds for offer in offers),
                "estimate_s": {
                    device: rounds
                    * sum(offer.seconds.get(preset, {}).get(device, 0.0) for offer in offers)
                    for device in ("cpu", "cuda")
                },
            }
            for preset, rounds in ROUNDS.items()
        },
    }


def show(data: Mapping[str, Any]) -> None:
    """Three tables on standard output."""
    console = Console()
    for grid in (_environments(data), _workloads(data), _presets(data)):
        console.print(grid)


def _environments(data: Mapping[str, Any]) -> Grid:
    columns = ("environment", "PyTorch", "wheel CUDA", "toolkit CUDA", "Python", "GPU code")
    grid = _grid("Environments (* is the baseline)", columns)
    for row in data["environments"]:
        mark = " *" if row["name"] == data["baseline"] else ""
        grid.add_row(
            row["name"] + mark, row["torch"], row["wheel_cuda"], row["toolkit_cuda"],
            ", ".join(row["pythons"]), " ".join(row["arch_list"]),
        )  # fmt: skip
    return grid


def _workloads(data: Mapping[str, Any]) -> Grid:
    grid = _grid("Workloads", ("workload/variant", "what it does"))
    for workload in data["workloads"]:
        grid.add_row(workload["name"], workload["summary"], style="bold")
        for variant in workload["variants"]:
            grid.add_row(f"{workload['name']}/{variant['name']}", variant["summary"])
    return grid


def _presets(data: Mapping[str, Any]) -> Grid:
    title = "Presets (time is an estimate for one environment, all rounds)"
    grid = _grid(title, ("preset", "rounds", "variants", "on a CPU", "on a GPU"))
    for name, preset in data["presets"].items():
        times = [duration(preset["estimate_s"][device]) for device in ("cpu", "cuda")]
        grid.add_row(name, str(preset["rounds"]), str(preset["variants"]), *times)
    return grid


def _grid(title: str, columns: Sequence[str]) -> Grid:
    grid = Grid(title=title, title_justify="left")
    for place, column in enumerate(columns):
        grid.add_column(column, overflow="fold", no_wrap=place == 0)
    return grid
