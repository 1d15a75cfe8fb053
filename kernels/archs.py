"""GPU architectures: what was asked for, what nvcc can target, what torch accepts.

An architecture is written as in ``TORCH_CUDA_ARCH_LIST``: ``"8.6"`` is machine code for compute
capability 8.6, ``"8.6+PTX"`` adds code that the driver compiles for newer cards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterable, Optional, Sequence

from core.versions import major_minor

_ARCH = re.compile(r"(\d+)\.(\d)(a?)(\+PTX)?")
# The first toolkit whose nvcc targets an architecture, and the first that no longer does.
# Source: release notes of the CUDA toolkit.
_SINCE = (
    ("8.0", (11, 0)),
    ("8.6", (11, 1)),
    ("8.7", (11, 4)),
    ("8.9", (11, 8)),
    ("9.0", (11, 8)),
    ("10.0", (12, 8)),
    ("12.0", (12, 8)),
)
_DROPPED = (("5.0", (12, 0)), ("7.5", (13, 0)))


@dataclass(frozen=True)
class Archs:
    """The chosen list, what was left out of it, and why."""

    chosen: tuple[str, ...]
    notes: tuple[str, ...] = ()


def bare(arch: str) -> str:
    """``"8.6+PTX"`` gives ``"8.6"``."""
    return arch.partition("+")[0]


def number(arch: str) -> tuple[int, int]:
    """``"8.6+PTX"`` gives ``(8, 6)``; ``"9.0a"`` gives ``(9, 0)``.

    Raises:
        ValueError: not an architecture.
    """
    match = _ARCH.fullmatch(arch)
    if match is None:
        raise ValueError(f"{arch!r} is not a GPU architecture")
    return int(match.group(1)), int(match.group(2))


def from_sm(name: str) -> Optional[str]:
    """``"sm_86"`` or ``"compute_86"`` gives ``"8.6"``; anything else gives None."""
    match = re.fullmatch(r"(?:sm|compute)_(\d+)(\d)(a?)", name)
    return f"{match.group(1)}.{match.group(2)}{match.group(3)}" if match else None


def split_list(text: str) -> tuple[str, ...]:
    """The entries of ``TORCH_CUDA_ARCH_LIST``: separated by spaces, semicolons or commas."""
    return tuple(part for part in re.split(r"[\s;,]+", text) if part)


def nvcc_targets(arch: str, nvcc: str, listed: Sequence[str] = ()) -> bool:
    """Whether nvcc of this release can compile for ``arch``.

    ``listed`` is what that nvcc says of itself (``--list-gpu-arch``); without it the release's
    known range decides.
    """
    if listed:
        return bare(arch).rstrip("a") in listed
    release = major_minor(nvcc)
    wanted = number(arch)
    since = max((first for name, first in _SINCE if number(name) <= wanted), default=(0, 0))
    gone = [last for oldest, last in _DROPPED if wanted < number(oldest) and release >= last]
    return release >= since and not gone


def choose_archs(
    *,
    requested: Optional[str],
    wheel: Sequence[str],
    accepted: Sequence[str],
    visible: Sequence[str],
    nvcc: str,
    nvcc_listed: Sequence[str] = (),
) -> Archs:
    """The architectures to compile for.

    ``requested`` is ``TORCH_CUDA_ARCH_LIST`` (None or blank: unset); ``wheel`` what the torch wheel
    holds code for; ``accepted`` what its extension builder takes (empty: unknown); ``visible`` the
    capabilities of the GPUs seen. Where it is unset, the visible GPUs decide; without one, the
    wheel's own list. PTX asked for is kept: where its entry is left out, the newest other bears it.
    """
    if requested and requested.strip():
        return _from_request(split_list(requested), accepted, nvcc, nvcc_listed)
    if visible:
        return _from_visible(visible, nvcc, nvcc_listed)
    return _from_wheel(wheel, nvcc, nvcc_listed)


def _from_request(
    entries: Sequence[str], accepted: Sequence[str], nvcc: str, listed: Sequence[str]
) -> Archs:
    kept, notes = [], []
    for entry in entries:
        reason = _why_not(entry, accepted, nvcc, listed)
        if reason:
            notes.append(f"TORCH_CUDA_ARCH_LIST names {entry}, which is left out: {reason}")
        else:
            kept.append(entry)
    wants_ptx = any(entry.endswith("+PTX") for entry in entries)
    if wants_ptx and kept and not any(entry.endswith("+PTX") for entry in kept):
        kept = _with_ptx(kept)
        notes.append("PTX for newer cards goes into the newest architecture that is left.")
    return Archs(tuple(kept), tuple(notes))


def _with_ptx(archs: Sequence[str]) -> list[str]:
    newest = max(archs, key=number)
    return [f"{arch}+PTX" if arch == newest else arch for arch in archs]


def _why_not(entry: str, accepted: Sequence[str], nvcc: str, listed: Sequence[str]) -> str:
    if _ARCH.fullmatch(entry) is None:
        return "it is not of the form 8.6 or 8.6+PTX."
    if not nvcc_targets(entry, nvcc, listed):
        return f"nvcc {nvcc} cannot target it."
    if accepted and bare(entry) not in accepted:
        return f"this torch accepts {', '.join(accepted)}."
    return ""


def _from_visible(visible: Sequence[str], nvcc: str, listed: Sequence[str]) -> Archs:
    chosen, notes = set(), []
    for capability in sorted(set(visible), key=number):
        stand_in = _stand_in(capability, nvcc, listed)
        chosen.add(stand_in)
        if bare(stand_in) != capability:
            notes.append(f"nvcc {nvcc} cannot target {capability}; {stand_in} serves it.")
    return Archs(_ordered(chosen), tuple(notes))


def _stand_in(capability: str, nvcc: str, listed: Sequence[str]) -> str:
    """The capability itself, else older code of its major version, else PTX for the driver."""
    if nvcc_targets(capability, nvcc, listed):
        return capability
    known = [name for name, _ in _SINCE if nvcc_targets(name, nvcc, listed)]
    older = [name for name in known if number(name) <= number(capability)]
    same_major = [name for name in older if number(name)[0] == number(capability)[0]]
    if same_major:
        return same_major[-1]
    return f"{older[-1]}+PTX" if older else f"{known[0]}+PTX"


def _from_wheel(wheel: Sequence[str], nvcc: str, listed: Sequence[str]) -> Archs:
    kept = [arch for arch in wheel if nvcc_targets(arch, nvcc, listed)]
    lost = [arch for arch in wheel if arch not in kept]
    notes = [f"nvcc {nvcc} cannot target {', '.join(lost)} of the wheel's list."] if lost else []
    if kept:
        kept = _with_ptx(kept)
    return Archs(_ordered(kept), tuple(notes))


def _ordered(archs: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(archs, key=number))
