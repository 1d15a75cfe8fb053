"""The cards: there, the expected ones, free, unhindered and not failing."""

from __future__ import annotations

from typing import Mapping

from envcheck.checks.gpus import LOADED, describe, has_gpu, no_gpu
from envcheck.checks.judgement import Judgement, failed, info, passed, skipped, warned
from envcheck.checks.registry import HOST, MAJOR, check
from envcheck.profiles import Expected
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

NODES = ("nvidiactl", "nvidia-uvm")
MAKE_NODES = "Create them with `nvidia-modprobe -u -c 0`, or load the module nvidia_uvm."
NOT_THE_CARD = "Ask the provider for the card that was ordered, or name the profile that fits."
OTHERS = "Stop the other processes on the GPU, or measure when it is free."
REPLACE = "Take this card out of service and have it examined."
MODE = "Set it with `nvidia-smi -c DEFAULT`."


@check(
    "gpu.present",
    title="NVIDIA GPU",
    scope=HOST,
    looks_at="PCI display devices of vendor 10de, NVML's list",
    why="Without a card only the CPU rows can run.",
    needs=(),
    remedies=("Use a machine with an NVIDIA GPU, or say --device cpu to run the CPU rows.",),
    source="https://github.com/fboulnois/stable-diffusion-docker/issues/82",
)
def present(facts: Facts, wanted: Wanted) -> Judgement:
    """At least one card, or information that only CPU rows run."""
    if not has_gpu(facts):
        return no_gpu(facts, wanted)
    try:
        measured = describe(facts.each("nvidia.devices"))
    except Unread:
        measured = _by_pci(facts)
    return passed(measured, "an NVIDIA GPU" if wanted.wants_gpu else "any")


def _by_pci(facts: Facts) -> str:
    try:
        ids = [card.text("id") for card in facts.each("system.pci_gpus")]
    except Unread:
        return "an NVIDIA GPU"
    return "PCI " + ", ".join(ids or ["unknown"])


@check(
    "gpu.nodes",
    title="Device nodes",
    scope=HOST,
    looks_at="/dev/nvidia*",
    why="NVML can work while CUDA does not, for want of /dev/nvidia-uvm.",
    needs=("nvidia.nodes", "nvidia.devices"),
    remedies=(MAKE_NODES,),
    source="https://github.com/NVIDIA/nvidia-docker/issues/1085",
    after=LOADED,
)
def nodes(facts: Facts, wanted: Wanted) -> Judgement:
    """nvidiactl, nvidia-uvm and one node per card."""
    del wanted
    found, cards = facts.texts("nvidia.nodes"), facts.each("nvidia.devices")
    if _wsl_gpu(facts):
        return skipped("WSL2 uses /dev/dxg")
    numbered = [name for name in found if name[6:].isdigit()]
    missing = [name for name in NODES if name not in found]
    if len(numbered) < len(cards):
        missing.append(f"{len(cards) - len(numbered)} of {len(cards)} card nodes")
    expected = f"{', '.join(NODES)}, one per card"
    measured = ", ".join(found) or "none"
    if missing:
        why = f"Missing: {', '.join(missing)}."
        return failed(measured, expected, why, MAKE_NODES)
    return passed(measured, expected)


def _wsl_gpu(facts: Facts) -> bool:
    try:
        return facts.flag("system.wsl_gpu")
    except Unread:
        return False


@check(
    "gpu.profile",
    title="Card against the profile",
    scope=HOST,
    looks_at="PCI id, compute capability, cores, memory and its bus, default power, PCIe limits "
    "of every GPU",
    why="A 4090 is not a 4090 D; results of one say nothing about the other.",
    needs=("nvidia.devices",),
    remedies=(NOT_THE_CARD,),
    source="https://github.com/NVIDIA/nvbench/issues/186",
    after=LOADED,
)
def profile(facts: Facts, wanted: Wanted) -> Judgement:
    """Every card carries the profile's PCI id and values; unverified values only inform."""
    cards = facts.each("nvidia.devices")
    if not wanted.profile.card or not cards:
        return skipped(f"the profile {wanted.profile.name} expects no particular card")
    measured, expected = describe(cards), wanted.profile.title
    ids = dict.fromkeys(card.text("pci_id") for card in cards)
    others = [pci for pci in ids if pci not in wanted.profile.pci_ids]
    if others:
        why = f"PCI {', '.join(others)} is not {' or '.join(wanted.profile.pci_ids)}."
        return failed(measured, expected, why, NOT_THE_CARD)
    answers = [_against(card, wanted.profile.card) for card in cards]
    wrong, unsure, unread = (
        "; ".join(dict.fromkeys(item for part in parts for item in part)) for parts in zip(*answers)
    )
    if wrong:
        return failed(measured, expected, f"{wrong}.", NOT_THE_CARD)
    if unsure:
        return info(measured, expected, f"Unverified value: {unsure}.")
    if unread:
        return info(measured, expected, f"The PCI id fits; not compared: {unread}.")
    return passed(measured, expected)


def _against(card: Facts, expected: Mapping[str, Expected]) -> tuple[list[str], ...]:
    """Differences from measured values, from unverified ones, and what could not be read."""
    wrong: list[str] = []
    unsure: list[str] = []
    unread: list[str] = []
    for name, value in expected.items():
        try:
            difference = _difference(card, name, value.value)
        except Unread:
            unread.append(name)
            continue
        if difference:
            (unsure if value.unverified else wrong).append(difference)
    return wrong, unsure, unread


def _difference(card: Facts, name: str, value: object) -> str:
    if name == "memory_gib":
        gib = card.count("memory_bytes") / 1024**3
        near = isinstance(value, (int, float)) and abs(gib - value) <= 0.05 * value
        return "" if near else f"memory {gib:.1f} GiB, not {value}"
    if isinstance(value, bool):
        found: object = card.flag(name)
    else:
        found = card.text(name) if isinstance(value, str) else card.number(name)
    return "" if found == value else f"{name} {found}, not {value}"


@check(
    "gpu.mode",
    title="Compute mode and MIG",
    scope=HOST,
    looks_at="compute mode and MIG mode of every GPU",
    why="A prohibited card runs nothing; a MIG slice is not the whole card.",
    needs=("nvidia.devices",),
    remedies=(MODE,),
    after=LOADED,
)
def mode(facts: Facts, wanted: Wanted) -> Judgement:
    """Compute mode allows work; MIG is told."""
    del wanted
    cards = facts.each("nvidia.devices")
    if not cards:
        return skipped("no GPU is listed")
    modes = sorted({card.text("compute_mode") for card in cards})
    measured, expected = f"compute mode {', '.join(modes)}", "default"
    if "prohibited" in modes:
        return failed(measured, expected, "No process may use the card.", MODE)
    if any(card.was_read("mig") and card.flag("mig") for card in cards):
        return info(f"{measured}, MIG on", expected, "MIG is on: results hold for a slice.")
    if modes != ["default"]:
        return info(measured, expected, "Only one process at a time can use the card.")
    return passed(measured, expected)


@check(
    "gpu.memory_health",
    title="Memory errors",
    scope=HOST,
    looks_at="ECC mode, uncorrected errors and remapped rows, where the card has them",
    why="A card that flips bits computes wrong results.",
    needs=("nvidia.devices",),
    remedies=(REPLACE,),
    after=LOADED,
)
def memory_health(facts: Facts, wanted: Wanted) -> Judgement:
    """No uncorrected error since the driver was loaded, no failed or pending remap."""
    del wanted
    listed = facts.each("nvidia.devices")
    cards = [c for c in listed if c.was_read("uncorrected_errors")]
    if not cards and any(c.was_read("ecc") and not c.flag("ecc") for c in listed):
        return info("ECC is off", "errors counted", "A flipped bit in this memory goes unseen.")
    if not cards:
        return skipped("these cards count no memory errors (no ECC)")
    errors = sum(card.count("uncorrected_errors") for card in cards)
    remaps = [c for c in cards if c.was_read("remapped_rows")]
    broken = any(c.flag("remapped_rows.failed") or c.flag("remapped_rows.pending") for c in remaps)
    measured, expected = f"{errors} uncorrected errors", "0, no remap failed or pending"
    if broken:
        return failed(f"{measured}, a remap failed or is pending", expected,
                      "Rows of the memory are broken.", REPLACE)  # fmt: skip
    if errors:
        return failed(measured, expected, "Memory returned wrong data.", REPLACE)
    return passed(measured, expected)


@check(
    "gpu.idle",
    title="Other processes on the GPU",
    scope=HOST,
    severity=MAJOR,
    looks_at="number of compute processes on every GPU",
    why="Another process on the card changes every time that is measured.",
    needs=("nvidia.devices",),
    remedies=(OTHERS,),
    after=LOADED,
)
def idle(facts: Facts, wanted: Wanted) -> Judgement:
    """No compute process."""
    del wanted
    cards = facts.each("nvidia.devices")
    if not cards:
        return skipped("no GPU is listed")
    count = sum(card.count("processes") for card in cards)
    if count:
        return warned(f"{count} processes", "none", "The GPU is shared now.", OTHERS)
    return passed("none", "none")
