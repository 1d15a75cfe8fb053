"""What a speed is judged by: the profile's value for this card, else what the card says of itself.

Peaks are multiprocessors x operations per clock x the highest clock that was sampled. Operations
per clock and multiprocessor: FP32 lanes twice (CUDA C++ Programming Guide, throughput of
arithmetic instructions); tensor cores with FP32 sums from the published peaks of the RTX 4090 D
(8.9: 147.1 TFLOP/s in half precision at 114 multiprocessors and 2520 MHz, half of that in TF32)
and of the H100 and H200 (9.0: 989 TFLOP/s at 132 and 1830 MHz, half of that in TF32).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from envcheck.checks.actives import ORDER, phase, phases
from envcheck.checks.judgement import Judgement, failed, info, passed, warned
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

FP32 = {"7.0": 128, "7.5": 128, "8.0": 128, "8.6": 256, "8.9": 256, "9.0": 256, "12.0": 256}
HALF = {"8.9": 512, "9.0": 4096}
PER_CLOCK = {
    "fp32": FP32,
    "tf32": {name: value // 2 for name, value in HALF.items()},
    "bf16": HALF,
    "fp16": HALF,
}
DERIVED_FRACTION = 0.5
"""An H200 reaches 0.77 (FP32 and TF32) and 0.69 (BF16) of its peaks at 1980 MHz, 0.89 of its
memory's (docs/evidence/h200-envcheck); one public reading of a 4090 D is 0.68 (FP32, 2520 MHz)."""

MEASURED, UNVERIFIED, DERIVED = "measured", "unverified", "derived"


@dataclass(frozen=True)
class Floor:
    """The least speed that is right, and how that is known."""

    value: float
    origin: str
    source: str


def floors(card: Facts, wanted: Wanted, name: str) -> list[Floor]:
    """The floors of a speed by its name (``fp32_tflops``, ``device_gbps``); empty for unknown.

    A measured figure of the profile stands alone. An unverified one stands beside what the card
    says of itself.
    """
    found = _of_profile(card, wanted, name)
    if found is not None and found.origin == MEASURED:
        return [found]
    try:
        peak = _peak(card, name)
    except Unread:
        peak = None
    told = [] if found is None else [found]
    if peak is None:
        return told
    half = Floor(peak * DERIVED_FRACTION, DERIVED, f"half of {number(peak)}, the peak")
    return [*told, half]


def against(name: str, value: float, unit: str, least: list[Floor], remedy: str) -> Judgement:
    """A speed against its floors; the worst answer is taken.

    Below a floor that was measured it fails; below one derived from what the card says of itself
    it warns; below an unverified one it informs.
    """
    measured = f"{name} {number(value)} {unit}"
    if not least:
        return info(measured, "no expectation", "No figure is known for this card.")
    answers = [_against(name, value, unit, item, remedy) for item in least]
    return min(answers, key=lambda item: ORDER.index(item.status.value))


def _against(name: str, value: float, unit: str, least: Floor, remedy: str) -> Judgement:
    measured = f"{name} {number(value)} {unit}"
    expected = f"{name} at least {number(least.value)} {unit} ({least.source})"
    if value >= least.value:
        return passed(measured, expected)
    why = f"{name} is {number(value)} {unit}, below {number(least.value)}."
    if least.origin == MEASURED:
        return failed(measured, expected, why, remedy)
    if least.origin == DERIVED:
        return warned(measured, expected, why, remedy)
    return info(measured, expected, f"Unverified figure: {why}")


def _of_profile(card: Facts, wanted: Wanted, name: str) -> Optional[Floor]:
    expected = wanted.profile.active.get(name)
    if expected is None or card.maybe_text("pci_id") not in wanted.profile.pci_ids:
        return None
    least = float(expected.value) * expected.fraction
    origin = UNVERIFIED if expected.unverified else MEASURED
    return Floor(least, origin, f"profile {wanted.profile.name}")


def number(value: float) -> str:
    """Three figures at least."""
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}"


def _peak(card: Facts, name: str) -> Optional[float]:
    mode, _, kind = name.partition("_")
    if kind == "tflops":
        per_clock = PER_CLOCK[mode].get(card.text("compute_capability"))
        if per_clock is None:
            return None
        return per_clock * card.count("multiprocessors") * _clock_mhz(card, mode) / 1e6
    if name == "device_gbps":
        return 2 * card.number("memory_mhz_max") * card.number("memory_bus_bits") / 8 / 1e3
    generation, width = link(card)
    return lanes_gbps(generation, width)


def _clock_mhz(card: Facts, mode: str) -> float:
    seen = phase(card, mode)
    try:
        return seen.number("sm_mhz_max") if seen else card.number("sm_mhz_max")
    except Unread:
        return card.number("sm_mhz_max")


def link(card: Facts) -> tuple[int, int]:
    """PCIe generation and width under load: the lowest median of any phase of 3 samples or more.

    Raises:
        Unread: no phase shows them.
    """
    seen = [item for item in phases(card) if item.was_read("pcie_generation_median")]
    long = [item for item in seen if item.count("samples") >= 3] or seen
    if not long:
        raise Unread("active.devices.telemetry", "the link was not read under load")
    pairs = [
        (item.count("pcie_generation_median"), item.count("pcie_width_median")) for item in long
    ]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def lanes_gbps(generation: int, width: int) -> float:
    """GB/s of a link in one direction: 2.5 GT/s with 8b/10b a lane in Gen 1, about double each."""
    return float(0.25 * 2 ** (min(generation, 8) - 1) * min(width, 32))
