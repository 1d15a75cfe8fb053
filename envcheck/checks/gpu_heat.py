"""Temperature, fan and the clocks that somebody set."""

from __future__ import annotations

from typing import Optional

from envcheck.checks.gpu_speed import BUSY_PERCENT, COOL
from envcheck.checks.gpus import LOADED
from envcheck.checks.judgement import Judgement, passed, skipped, warned
from envcheck.checks.registry import HOST, MAJOR, check
from envcheck.reading import Facts
from envcheck.wanted import Wanted

NEAR_C = 5
WARM_C = 60
RESET_CLOCKS = "Give the card its own clocks back: `nvidia-smi -rac` and `nvidia-smi -rgc`."
FAN = "See whether the fan turns and nothing blocks it, and check what controls its speed."


@check(
    "gpu.temperature",
    title="Temperature",
    scope=HOST,
    severity=MAJOR,
    looks_at="temperature of every GPU, and the one at which it says that it slows down",
    why="A card near its limit is about to slow down.",
    needs=("nvidia.devices",),
    remedies=(COOL,),
    source="https://github.com/tensara/tensara/issues/226",
    after=LOADED,
)
def temperature(facts: Facts, wanted: Wanted) -> Judgement:
    """Clearly below the card's own slowdown temperature."""
    del wanted
    cards = facts.each("nvidia.devices")
    known = [card for card in cards if card.was_read("temperature_slowdown_c")]
    if not known:
        return skipped("no GPU names the temperature at which it slows down")
    pairs = [
        (card.number("temperature_c"), card.number("temperature_slowdown_c")) for card in known
    ]
    now, limit = max(pairs, key=lambda pair: pair[0] - pair[1])
    measured, expected = f"{now:.0f} °C", f"below {limit - NEAR_C:.0f} °C (slows at {limit:.0f} °C)"
    if now >= limit - NEAR_C:
        return warned(measured, expected, "The card is about to slow down.", COOL)
    return passed(measured, expected)


@check(
    "gpu.fan",
    title="Fan",
    scope=HOST,
    severity=MAJOR,
    looks_at="fan speed and temperature of every GPU that has a fan",
    why="A fan that stands still on a warm card ends in a slowdown; on a cool one it is normal.",
    needs=("nvidia.devices",),
    remedies=(FAN,),
    after=LOADED,
)
def fan(facts: Facts, wanted: Wanted) -> Judgement:
    """Turning where the card is warm."""
    del wanted
    cards = [card for card in facts.each("nvidia.devices") if card.was_read("fan_percent")]
    if not cards:
        return skipped("no GPU here has a fan of its own")
    pairs = [(card.number("fan_percent"), card.number("temperature_c")) for card in cards]
    speed, warmth = min(pairs, key=lambda pair: (pair[0] > 0, -pair[1]))
    measured, expected = f"{speed:.0f} % at {warmth:.0f} °C", f"turning from {WARM_C} °C on"
    if speed == 0 and warmth >= WARM_C:
        return warned(measured, expected, "The fan stands still on a warm card.", FAN)
    return passed(measured, expected)


@check(
    "gpu.clocks",
    title="Clocks",
    scope=HOST,
    severity=MAJOR,
    looks_at="SM clock now and at most, application clocks and their defaults, throttle reasons",
    why="Clocks that somebody lowered stay lowered and make a good card slow.",
    needs=("nvidia.devices",),
    remedies=(RESET_CLOCKS,),
    source="https://github.com/rammsguns/llm-rig/issues/100",
    after=LOADED,
)
def clocks(facts: Facts, wanted: Wanted) -> Judgement:
    """Not set below the card's own default."""
    del wanted
    cards = facts.each("nvidia.devices")
    if not cards:
        return skipped("no GPU is listed")
    seen = [f"{c.number('sm_clock_mhz'):.0f} of {c.number('sm_clock_max_mhz'):.0f}" for c in cards]
    measured, expected = f"{', '.join(dict.fromkeys(seen))} MHz", "not lowered"
    why = next(filter(None, map(_lowered, cards)), None)
    if why:
        return warned(measured, expected, why, RESET_CLOCKS)
    return passed(measured, expected)


def _lowered(card: Facts) -> Optional[str]:
    reasons = card.texts("throttle_reasons")
    if card.was_read("sm_clock_set_mhz") and card.was_read("sm_clock_set_default_mhz"):
        now, own = card.number("sm_clock_set_mhz"), card.number("sm_clock_set_default_mhz")
        if now < own:
            return f"The application clock is set to {now:.0f} MHz; the card's own is {own:.0f}."
    busy = card.number("utilisation_percent") >= BUSY_PERCENT
    if busy and "application clocks" in reasons:
        return "The card is busy and held back by clocks that were set."
    return None
