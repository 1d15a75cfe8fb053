"""Active checks: did the devices work to their end, and is everything right that came out."""

from __future__ import annotations

from functools import partial
from typing import Callable

from envcheck.checks.actives import FREE, NEEDS, attempt, cards, label, worst
from envcheck.checks.judgement import Judgement, failed, info, passed, skipped, warned
from envcheck.checks.registry import ACTIVE, check
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

Part = Callable[[Facts], "tuple[str, str]"]
GIB = 1024**3
STATES = ("complete", "interrupted", "died")
BAD_CARD = (
    "Take {card} out of service. Set clocks, voltage and power limit back to the maker's values, "
    "check its power cables and seating, and test it again; where it fails again, replace it."
)
AGAIN = "Run it again to its end; only a whole run can be signed."
LOOK = "Read the kernel log for Xid errors (`journalctl -k | grep -i xid`), reboot, test again."
NO_GPU = "Run it with an interpreter whose torch sees the GPU, or say --device cpu."
WITHOUT = "Run it again without --inject to judge the card."
INJECTED = "One bit was flipped on purpose (--inject bit-flip)."
MOSTLY = 0.8


@check(
    "active.complete",
    title="Active checks ran to their end",
    scope=ACTIVE,
    looks_at="how the process that loads the devices ended, the first error of every device",
    why="A card that hangs or falls off the bus under load is a fault, not a missing result.",
    needs=("active",),
    remedies=(LOOK, AGAIN, NO_GPU),
    demanded=True,
)
def complete(facts: Facts, wanted: Wanted) -> Judgement:
    """To the end, without an error, on a GPU where one is wanted."""
    state = facts.choice("active.state", STATES)
    errors = [
        f"{label(card)}: {card.text('error')}"
        for card in cards(facts)
        if card.text("error") != "none"
    ]
    measured = f"{facts.number('active.elapsed_s'):.0f} s" if state != "died" else "ended early"
    expected = "every device to the end"
    if state == "died":
        return failed(measured, expected, f"It died: {facts.text('active.ending')}.", LOOK)
    if errors:
        return failed(measured, expected, "; ".join(errors) + ".", LOOK)
    if facts.text("active.device") == "cpu" and wanted.wants_gpu:
        return failed("ran on the CPU", "a GPU", "A GPU was asked for.", NO_GPU)
    if state == "interrupted":
        why = f"It was cut short after {measured}; what was seen until then is judged."
        return warned(measured, expected, why, AGAIN)
    return passed(_what(facts, measured), expected)


def _what(facts: Facts, measured: str) -> str:
    names = ", ".join(label(card) for card in cards(facts))
    asked = facts.number("active.burn_in_s")
    return f"{names}: {measured}" + (f" with {asked:.0f} s of burn-in" if asked else "")


@check(
    "active.matrix",
    title="Matrix products compared",
    scope=ACTIVE,
    looks_at="every bit of products in FP32, TF32, BF16 and FP16 against a verified product",
    why="A card can compute wrong values and report no error; other burn-in tools then exit 0.",
    needs=NEEDS,
    remedies=(BAD_CARD,),
    source="https://github.com/wilicc/gpu-burn",
)
def matrix(facts: Facts, wanted: Wanted) -> Judgement:
    """No bit differs, in the short run and in the burn-in."""
    del wanted
    burning = facts.number("active.burn_in_s") > 0
    parts = (_reference, _short, _burn_in) if burning else (_reference, _short)
    return worst(facts, lambda card: _exact(card, parts))


def _exact(card: Facts, parts: tuple[Part, ...]) -> Judgement:
    tried = [attempt(part, card) for part in parts]
    done = [item for item in tried if not isinstance(item, Unread)]
    name = label(card)
    faults = [fault for fault, _ in done if fault]
    if faults:
        made = all(INJECTED in fault for fault in faults)
        remedy = WITHOUT if made else BAD_CARD.format(card=name)
        return failed(f"{name}: wrong values", _ALL_BITS, " ".join(faults), remedy)
    for item in tried:
        if isinstance(item, Unread):
            raise item
    return passed(f"{name}: {', '.join(text for _, text in done if text)}", _ALL_BITS)


_ALL_BITS = "every bit of every product right"


def _reference(card: Facts) -> tuple[str, str]:
    found = card.text("reference")
    return ("" if found == "ok" else f"The FP32 product is wrong: {found}."), ""


def _short(card: Facts) -> tuple[str, str]:
    rows = card.each("matrix.modes")
    if not rows:
        raise Unread("active.devices.matrix.modes", "no product was computed")
    wrong = {row.text("mode"): row.count("wrong") for row in rows}
    products = sum(row.count("products") for row in rows)
    if not products:
        raise Unread("active.devices.matrix.modes", "no product was compared")
    size = card.count("matrix.size")
    text = f"{products} products of {size} x {size} ({', '.join(wrong)})"
    bad = ", ".join(f"{number} in {mode}" for mode, number in wrong.items() if number)
    return _told(card, "matrix", sum(wrong.values()), f"Wrong elements: {bad}."), text


def _burn_in(card: Facts) -> tuple[str, str]:
    wrong, products = card.count("burn_in.wrong"), card.count("burn_in.products")
    ran = card.number("burn_in.ran_s")
    if not products:
        raise Unread("active.devices.burn_in.products", "no product was compared")
    fault = f"Wrong elements in the burn-in: {wrong} in {products} products"
    if wrong:
        mode, first = card.text("burn_in.first_wrong_mode"), card.number("burn_in.first_wrong_s")
        fault += f", the first in {mode} after {first:.0f} s"
    return _told(card, "burn_in", wrong, fault + "."), f"{products} in {ran:.0f} s of burn-in"


def _told(card: Facts, section: str, wrong: int, fault: str) -> str:
    """The fault as told; a flip made on purpose is one wrong element, and must be found."""
    if not card.flag(f"{section}.injected"):
        return fault if wrong else ""
    if not wrong:
        return "The bit that was flipped on purpose was not found: this check does not work here."
    return f"{fault} {INJECTED}" if wrong == 1 else fault


@check(
    "active.memory",
    title="Memory pattern test",
    scope=ACTIVE,
    looks_at="six patterns, two of them made of the address, over most of the free memory",
    why="Memory without error correction changes what it holds and tells nobody.",
    needs=NEEDS,
    remedies=(BAD_CARD, FREE),
)
def memory(facts: Facts, wanted: Wanted) -> Judgement:
    """Every word comes back as it was written, cold and after the burn-in."""
    del wanted
    sections = ["memory"]
    if facts.number("active.burn_in_s") > 0:
        sections.append("hot_memory")
    return worst(facts, lambda card: _patterns(card, sections))


def _patterns(card: Facts, sections: list[str]) -> Judgement:
    name, expected = label(card), "every word as written"
    tried = [attempt(partial(_wrong_words, section=section), card) for section in sections]
    for section, wrong in zip(sections, tried):
        if isinstance(wrong, int) and wrong:
            why = f"{wrong} words came back wrong{_first(card, section)}."
            return failed(f"{name}: memory errors", expected, why, BAD_CARD.format(card=name))
    cold, *hot = tried
    if isinstance(cold, Unread):
        raise cold
    missed = next((item.why for item in hot if isinstance(item, Unread)), "")
    return _extent(card, name, expected, missed)


def _wrong_words(card: Facts, section: str) -> int:
    card.count(f"{section}.tested_bytes")
    return sum(row.count("wrong_words") for row in card.each(f"{section}.patterns"))


def _first(card: Facts, section: str) -> str:
    try:
        first = f"{section}.first_wrong"
        gib = card.number(f"{first}.offset_bytes") / GIB
        found, wanted = card.text(f"{first}.found"), card.text(f"{first}.expected")
        pattern = card.text(f"{first}.pattern")
    except Unread:
        return ""
    return f", the first {gib:.2f} GiB in, pattern {pattern}: {found} for {wanted}"


def _extent(card: Facts, name: str, expected: str, missed: str) -> Judgement:
    tested, total = card.count("memory.tested_bytes"), card.count("memory.total_bytes")
    if not tested or not card.each("memory.patterns"):
        return skipped(f"{name}: no memory was free to be tested")
    measured = f"{name}: {tested / GIB:.1f} of {total / GIB:.1f} GiB tested"
    if tested < MOSTLY * total and not name.startswith("CPU"):
        return info(measured, expected, "The rest was in use and was not tested.")
    if missed:
        return info(measured, expected, f"Not tested again after the burn-in: {missed}.")
    return passed(measured, expected)


@check(
    "active.card",
    title="Card under test against the profile",
    scope=ACTIVE,
    looks_at="PCI id of every device under test",
    why="One card's numbers say nothing about another.",
    needs=NEEDS,
    remedies=("Name the profile that fits the card, or ask the provider for the right card.",),
    after=("gpu.profile",),
)
def card_under_test(facts: Facts, wanted: Wanted) -> Judgement:
    """The PCI id is one of the profile's."""
    ids = wanted.profile.pci_ids
    if not ids:
        return skipped(f"the profile {wanted.profile.name} expects no particular card")
    found = {label(card): card.text("pci_id") for card in cards(facts)}
    measured = ", ".join(f"{name}: {pci}" for name, pci in found.items())
    if set(found.values()) - set(ids):
        why = f"The profile {wanted.profile.name} is for another card; its numbers are not used."
        remedy = "Name the profile that fits the card, or ask the provider for the right card."
        return failed(measured, " or ".join(ids), why, remedy)
    return passed(measured, " or ".join(ids))
