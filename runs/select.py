"""Which cells a request asks for, and which ones it cannot have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from core.errors import InputError
from core.versions import release
from runs.catalog import Offer
from runs.cells import Cell, nearest


@dataclass(frozen=True)
class Request:
    """What the user asked for, with the device already settled (``cpu`` or ``cuda``).

    ``workloads`` holds names (``matmul``) or name and variant (``matmul/tf32``); empty means all
    of the preset. ``environments`` empty means all that were handed over. ``rounds`` None takes
    the preset's number. ``timeout_s`` None derives a limit from each trial's estimate.
    """

    preset: str
    device: str
    environments: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    rounds: int | None = None
    seed: int = 0
    timeout_s: float | None = None


@dataclass(frozen=True)
class LeftOut:
    """A variant of the preset that is not planned, with the reason."""

    workload: str
    variant: str
    reason: str


def choose_environments(
    descriptions: Sequence[Mapping[str, Any]], wanted: Sequence[str]
) -> tuple[Mapping[str, Any], ...]:
    """The wanted environments in the order asked for; all of them where none is named.

    Raises:
        InputError: a name that is unknown or given twice, or no environment at all.
    """
    known = {str(item["name"]): item for item in descriptions}
    for name in wanted:
        if name not in known:
            raise InputError(f"There is no environment {name!r}.", remedy=nearest(name, known))
    names = tuple(wanted) or tuple(known)
    if len(set(names)) != len(names):
        raise InputError("An environment is named twice.", remedy="Name each of them once.")
    if not names:
        raise InputError("There is no environment to run.", remedy="Add one to the table.")
    return tuple(known[name] for name in names)


def choose_offers(
    offers: Sequence[Offer], request: Request
) -> tuple[list[Offer], tuple[LeftOut, ...]]:
    """The variants of the preset that pass the filter, and those no asked-for device can run.

    A variant that only a CPU can run is kept on a GPU run too: it runs on the CPU, labelled so.

    Raises:
        InputError: an unknown workload, variant or preset, or a filter that leaves nothing.
    """
    in_preset = _of_preset(offers, request.preset)
    named = _named(offers, request.workloads)
    chosen = [offer for offer in in_preset if not named or offer.key in named]
    usable = [offer for offer in chosen if request.device in offer.devices or offer.cpu_only]
    left_out = tuple(
        LeftOut(offer.workload, offer.variant, f"does not run on {request.device}")
        for offer in chosen
        if offer not in usable
    )
    if not usable:
        raise InputError(
            f"Nothing is left to run for preset {request.preset} on {request.device}.",
            why=_why_empty(named, in_preset, left_out),
            remedy="Ask for another preset, device or workload; `invoke list` shows them.",
        )
    return usable, left_out


def cells_of(
    offers: Sequence[Offer],
    environments: Sequence[Mapping[str, Any]],
    *,
    request: Request,
    baseline: str,
) -> tuple[Cell, ...]:
    """Every environment times every variant, and the extra CPU cells of ``published``."""
    names = [str(item["name"]) for item in environments]
    cells = [
        Cell(name, request.device if request.device in offer.devices else "cpu", *offer.key)
        for name in names
        for offer in offers
    ]
    if request.preset == "published" and request.device == "cuda":
        newest = _newest_beside(environments, baseline)
        cells += [Cell(newest, "cpu", *o.key) for o in offers if o.published_cpu]
    return tuple(dict.fromkeys(cells))


def _newest_beside(environments: Sequence[Mapping[str, Any]], baseline: str) -> str:
    others = [item for item in environments if item["name"] != baseline] or list(environments)
    return str(max(others, key=lambda item: release(str(item["torch"])))["name"])


def _of_preset(offers: Sequence[Offer], preset: str) -> list[Offer]:
    presets = {name for offer in offers for name in offer.seconds}
    if preset not in presets:
        raise InputError(f"There is no preset {preset!r}.", remedy=nearest(preset, presets))
    return [offer for offer in offers if preset in offer.seconds]


def _named(offers: Sequence[Offer], wanted: Sequence[str]) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for text in wanted:
        matches = {o.key for o in offers if text in (o.workload, f"{o.workload}/{o.variant}")}
        if not matches:
            raise _unknown_workload(offers, text)
        found |= matches
    return found


def _unknown_workload(offers: Sequence[Offer], text: str) -> InputError:
    workload, slash, variant = text.partition("/")
    variants = [o.variant for o in offers if o.workload == workload]
    if slash and variants:
        what = f"Workload {workload} has no variant {variant!r}."
        return InputError(what, remedy=nearest(variant, variants))
    what = f"There is no workload {workload!r}."
    return InputError(what, remedy=nearest(workload, [o.workload for o in offers]))


def _why_empty(
    named: set[tuple[str, str]], in_preset: Sequence[Offer], left_out: Sequence[LeftOut]
) -> str:
    if left_out:
        return "What was asked for does not run on that device."
    if named and not any(offer.key in named for offer in in_preset):
        return "What was asked for is not part of that preset."
    return "The preset holds nothing."
