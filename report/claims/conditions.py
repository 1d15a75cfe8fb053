"""Which cell of a run answers a claim, and which binding conditions it does not meet.

Binding are device, PyTorch version, card (or processor, for CPU rows), size, batch and data type.
The bundled CUDA, cuDNN, the driver and whatever the article leaves unsaid are differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Sequence

from core.status import TrialStatus
from core.versions import release
from report.claims.cards import load_cards
from report.claims.evidence import Evidence, Measured
from report.claims.load import Figure
from report.claims.schema import Cell

LIKE = {"cpu": "cuda", "cuda": "cpu"}


@dataclass(frozen=True)
class Unmet:
    """A binding condition that the run does not meet."""

    condition: str
    claimed: str
    here: str


@dataclass(frozen=True)
class Difference:
    """Something that does not bind and is different, or that the article leaves unsaid."""

    what: str
    claimed: str
    here: str


@dataclass(frozen=True)
class Side:
    """The cell that answers a claim's cell, or the nearest there is, with what is not met."""

    measured: Measured | None
    unmet: tuple[Unmet, ...]


def side(figure: Figure, cell: Cell, run: Evidence) -> Side:
    """Find the cell of a run for one of an article, and hold it against the conditions."""
    environment, unmet = _environment(figure, cell, run)
    measured = _cell(figure, cell, run, environment)
    if measured is None:
        return Side(None, (*unmet, *_absent(figure, cell, run)))
    return Side(measured, (*_device(cell, measured), *unmet, *_here(figure, cell, measured)))


def differences(figure: Figure, cell: Cell, measured: Measured) -> tuple[Difference, ...]:
    """What does not bind, as far as both sides tell it."""
    said, here = figure.environment(cell), measured.identity
    wheel = ", ".join(
        f"{here[key]} ({words})"
        for key, words in (("toolkit_cuda", "toolkit"), ("wheel_cuda", "in the wheel"))
        if here.get(key)
    )
    found = [Difference("CUDA", said.cuda or "", wheel)] if cell.device == "cuda" else []
    if cell.device == "cuda":
        found.append(Difference("cuDNN", said.cudnn or "", here.get("cudnn", "")))
        found.append(Difference("CPU", figure.source.article.cpu or "", here.get("cpu", "")))
    return tuple(d for d in found if d.claimed and d.here and d.claimed != d.here)


def chosen(figure: Figure, measured: Measured) -> tuple[Difference, ...]:
    """What the article leaves unsaid, and what the run chose where its settings tell."""
    settings = measured.settings or {}
    return tuple(
        Difference(item.what, "unsaid", str(settings.get(item.setting or "", "")))
        for item in figure.unsaid
    )


def same_version(claimed: str, found: str) -> bool:
    """Whether a version is the claimed one, as far as that is told: 2.8 is 2.8.0+cu128."""
    try:
        wanted, got = release(claimed), release(found)
    except ValueError:
        return False
    return got[: len(wanted)] == wanted


def same_name(claimed: str, found: str) -> bool:
    """Whether a device's name is the claimed one; the maker's longer spelling counts."""
    return bool(found) and _flat(claimed) in _flat(found)


def _environment(figure: Figure, cell: Cell, run: Evidence) -> tuple[str | None, tuple[Unmet, ...]]:
    claimed = figure.environment(cell).torch
    if claimed is None or not run.torch:
        return next(iter(run.torch), None), ()
    fitting = [name for name, found in run.torch.items() if same_version(claimed, found)]
    if fitting:
        with_row = (n for n in fitting if _cell(figure, cell, run, n) is not None)
        return next(with_row, fitting[0]), ()
    nearest = min(run.torch, key=lambda name: _distance(claimed, run.torch[name]))
    here = ", ".join(dict.fromkeys(run.torch.values()))
    return nearest, (Unmet("PyTorch", claimed, here),)


def _distance(claimed: str, found: str) -> tuple[float, ...]:
    try:
        parts = zip((*release(claimed), 0, 0), (*release(found), 0, 0), strict=False)
        return tuple(abs(left - right) for left, right in parts)
    except ValueError:
        return (float("inf"),)


def _cell(figure: Figure, cell: Cell, run: Evidence, environment: str | None) -> Measured | None:
    """On the claimed device where something was measured there, else on the other one."""
    if environment is None:
        return None
    workload, variant = _names(figure, cell)
    found = [run.find(environment, d, workload, variant) for d in (cell.device, LIKE[cell.device])]
    there = [measured for measured in found if measured is not None]
    return there[0] if there else None


def _names(figure: Figure, cell: Cell) -> tuple[str, str]:
    workload = cell.workload or figure.row.workload or ""
    return workload, cell.variant or figure.row.variant or ""


def _absent(figure: Figure, cell: Cell, run: Evidence) -> tuple[Unmet, ...]:
    workload, variant = _names(figure, cell)
    devices = {device for _, device, _, _ in run.cells}
    unmet = [] if cell.device in devices else [_no_device(cell, devices)]
    row = Unmet("workload", f"{workload}/{variant}", "not part of this run")
    return (*unmet, row)


def _no_device(cell: Cell, here: Iterable[str]) -> Unmet:
    return Unmet("device", cell.device, ", ".join(sorted(here)) or "none")


def _device(cell: Cell, measured: Measured) -> tuple[Unmet, ...]:
    return () if measured.device == cell.device else (_no_device(cell, [measured.device]),)


def _here(figure: Figure, cell: Cell, measured: Measured) -> tuple[Unmet, ...]:
    if measured.status is not TrialStatus.OK:
        here = f"{measured.status.value}: {measured.reason}"
        return (Unmet("result", measured.name, here),)
    return (*_hardware(figure, cell, measured), *_settings(figure, measured))


def _hardware(figure: Figure, cell: Cell, measured: Measured) -> Sequence[Unmet]:
    """The card of a GPU row, the processor of a CPU row; a stand-in device is named already."""
    if cell.device != measured.device:
        return ()
    if cell.device == "cpu":
        claimed, found = figure.source.article.cpu, measured.identity.get("cpu", "")
        met = claimed is None or same_name(claimed, found)
        return () if met else (Unmet("CPU", claimed or "", found or "not told"),)
    card = load_cards().get(figure.source.article.card or "")
    found = measured.identity.get("gpu", "")
    if card is None or found.lower() in [name.lower() for name in card.names]:
        return ()
    return (Unmet("card", card.title, found or "not told"),)


def _settings(figure: Figure, measured: Measured) -> Sequence[Unmet]:
    if measured.settings is None:
        told = ", ".join(f"{name} {value}" for name, value in figure.settings.items())
        return (Unmet("settings", told, "not told by report.json alone"),) if told else ()
    return [
        Unmet(name, str(value), str(measured.settings.get(name, "not told")))
        for name, value in figure.settings.items()
        if measured.settings.get(name) != value
    ]


def _flat(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())
