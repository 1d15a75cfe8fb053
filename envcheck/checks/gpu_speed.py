"""What slows a card: a lowered limit, heat, a narrow link."""

from __future__ import annotations

from typing import Optional

from envcheck.checks.gpus import LOADED
from envcheck.checks.judgement import Judgement, passed, skipped, warned
from envcheck.checks.registry import HOST, MAJOR, check
from envcheck.reading import Facts
from envcheck.wanted import Wanted

BUSY_PERCENT = 50
RESET_POWER = "Set it back with `nvidia-smi -pl {watts:.0f}`, or report results as power-limited."
COOL = "Improve cooling, clean filters and fans, and check the power cables; then check again."
SEAT = "Reseat the card, check riser and slot, and set the slot's generation in the firmware."
SLOWDOWNS = ("hardware slowdown", "software thermal", "hardware thermal", "power brake")
HARMLESS = ("idle", "application clocks", "power cap", "sync boost", "display clocks")


@check(
    "gpu.power_limit",
    title="Power limit",
    scope=HOST,
    severity=MAJOR,
    looks_at="power limit and default power limit of every GPU",
    why="A lowered limit makes a good card slow.",
    needs=("nvidia.devices",),
    remedies=(RESET_POWER,),
    source="https://github.com/rammsguns/llm-rig/issues/100",
    after=LOADED,
)
def power_limit(facts: Facts, wanted: Wanted) -> Judgement:
    """Not below the card's own default."""
    del wanted
    pairs = [
        (card.number("power_limit_w"), card.number("power_default_w"))
        for card in facts.each("nvidia.devices")
    ]
    if not pairs:
        return skipped("no GPU is listed")
    limit, default = min(pairs, key=lambda pair: pair[0] - pair[1])
    measured, expected = f"{limit:.0f} W", f"{default:.0f} W (the card's default)"
    if limit < default - 1:
        why = "The power limit was lowered."
        return warned(measured, expected, why, RESET_POWER.format(watts=default))
    return passed(measured, expected)


@check(
    "gpu.throttle",
    title="Throttling now",
    scope=HOST,
    severity=MAJOR,
    looks_at="throttle reasons and temperature of every GPU",
    why="Heat or a weak supply slows a card; a power cap under load is normal.",
    needs=("nvidia.devices",),
    remedies=(COOL,),
    source="https://github.com/tensara/tensara/issues/226",
    after=LOADED,
)
def throttle(facts: Facts, wanted: Wanted) -> Judgement:
    """No thermal or hardware slowdown."""
    del wanted
    cards = facts.each("nvidia.devices")
    if not cards:
        return skipped("no GPU is listed")
    found = sorted({reason for card in cards for reason in card.texts("throttle_reasons")})
    bad = [reason for reason in found if reason in SLOWDOWNS]
    unknown = [reason for reason in found if reason not in (*SLOWDOWNS, *HARMLESS)]
    measured, expected = ", ".join(found) or "none", "no thermal or hardware slowdown"
    if bad:
        return warned(measured, expected, f"Slowed by: {', '.join(bad)}.", COOL)
    if unknown:
        return skipped(f"throttle reasons of unknown meaning: {', '.join(unknown)}")
    return passed(measured, expected)


@check(
    "gpu.pcie",
    title="PCIe link under load",
    scope=HOST,
    severity=MAJOR,
    looks_at="generation and width of the link, with the utilisation at that moment",
    why="An idle link saves power and tells nothing; a busy link at Gen 1 or x1 is a fault.",
    needs=("nvidia.devices",),
    remedies=(SEAT,),
    source="https://github.com/Syllo/nvtop/issues/6",
    after=LOADED,
)
def pcie(facts: Facts, wanted: Wanted) -> Judgement:
    """Busy cards use the full link."""
    del wanted
    answers = [_link(card) for card in facts.each("nvidia.devices")]
    judged = [answer for answer in answers if answer is not None]
    if not judged:
        return skipped("no GPU is busy: an idle link is not judged")
    order = ("warn", "pass")
    return min(judged, key=lambda answer: order.index(answer.status.value))


def _link(card: Facts) -> Optional[Judgement]:
    idle = card.count("performance_state") >= 8
    if idle or card.number("utilisation_percent") < BUSY_PERCENT:
        return None
    now = (card.count("pcie_generation"), card.count("pcie_width"))
    best = (card.count("pcie_generation_max"), card.count("pcie_width_max"))
    measured, expected = f"Gen {now[0]} x{now[1]}, busy", f"Gen {best[0]} x{best[1]}"
    if now[0] < best[0] or now[1] < best[1]:
        gbps = 0.25 * 2 ** (now[0] - 1) * now[1]
        why = f"Copies to and from the card reach about {gbps:.0f} GB/s at most."
        return warned(measured, expected, why, SEAT)
    return passed(measured, expected)
