"""Active checks: how fast the devices were under load, and what slowed them."""

from __future__ import annotations

from statistics import median

from envcheck.checks.actives import FREE, NEEDS, joined, keys, label, phase, phases, worst
from envcheck.checks.floors import PER_CLOCK, against, floors, lanes_gbps, link
from envcheck.checks.gpu_speed import COOL, SEAT, SLOWDOWNS
from envcheck.checks.judgement import Judgement, failed, info, passed, warned
from envcheck.checks.registry import ACTIVE, MAJOR, check
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

SLOW = (
    "Look at the findings on throttling, clocks and power limit; make sure that nothing else uses "
    "the GPU; then test again."
)
CLOCKS = "Look for locked clocks (`nvidia-smi -q -d CLOCK,PERFORMANCE`), reset them, test again."
SENSORS = "Read the kernel log for Xid errors: sensors that stop are often a card that is lost."
CORRUPT = "Reseat the card and check riser and slot; where it goes on, test the host's memory."
RARE = 0.02
DROP = 0.10
FEWEST_INTERVALS = 6


@check(
    "active.throughput",
    title="Throughput of matrix products",
    scope=ACTIVE,
    looks_at="TFLOP/s in FP32, TF32, BF16 and FP16 against the profile, else half of the peak",
    why="A card can be healthy in every reading and still deliver half of what it should.",
    needs=NEEDS,
    remedies=(SLOW,),
    source="https://github.com/zzc0721/torch-performance-test-data/issues/20",
)
def throughput(facts: Facts, wanted: Wanted) -> Judgement:
    """Every mode at its floor."""
    return worst(facts, lambda card: _throughput(card, wanted))


def _throughput(card: Facts, wanted: Wanted) -> Judgement:
    rows = {
        row.choice("mode", tuple(PER_CLOCK)): row.number("tflops")
        for row in card.each("matrix.modes")
    }
    if not rows:
        raise Unread("active.devices.matrix.modes", "no product was timed")
    answers = [
        against(mode.upper(), value, "TFLOP/s", floors(card, wanted, f"{mode}_tflops"), SLOW)
        for mode, value in rows.items()
    ]
    return _named(card, joined(answers))


@check(
    "active.copies",
    title="Copy bandwidth",
    scope=ACTIVE,
    looks_at="GB/s inside the device (read and written), to it and back through pinned memory",
    why="Training waits for copies; a narrow link or slow memory shows here and nowhere else.",
    needs=NEEDS,
    remedies=(SLOW, CORRUPT),
)
def copies(facts: Facts, wanted: Wanted) -> Judgement:
    """Data comes back whole, and each way at its floor."""
    return worst(facts, lambda card: _copies(card, wanted))


def _copies(card: Facts, wanted: Wanted) -> Judgement:
    if not card.flag("copies.intact"):
        measured = f"{label(card)}: data changed on its way"
        why = "What was sent to the GPU did not come back as it was sent."
        return failed(measured, "the same data", why, CORRUPT)
    ways = {
        "device_gbps": "on the device",
        "host_to_device_gbps": "host to device",
        "device_to_host_gbps": "device to host",
    }
    answers = [
        against(words, card.number(f"copies.{name}"), "GB/s", floors(card, wanted, name), SLOW)
        for name, words in ways.items()
    ]
    return _named(card, joined(answers))


@check(
    "active.pcie",
    title="PCIe link under this load",
    scope=ACTIVE,
    severity=MAJOR,
    looks_at="generation and width of the link while the card works, its own highest",
    why="An idle link saves power and tells nothing; a busy link at Gen 1 or x1 is a fault.",
    needs=NEEDS,
    remedies=(SEAT,),
    source="https://github.com/Syllo/nvtop/issues/6",
)
def pcie(facts: Facts, wanted: Wanted) -> Judgement:
    """The full link while busy."""
    del wanted
    return worst(facts, _pcie)


def _pcie(card: Facts) -> Judgement:
    now = link(card)
    best = (card.count("pcie_generation_max"), card.count("pcie_width_max"))
    measured = f"{label(card)}: Gen {now[0]} x{now[1]}, busy"
    expected = f"Gen {best[0]} x{best[1]}"
    if now[0] < best[0] or now[1] < best[1]:
        why = f"Copies to and from the card reach about {lanes_gbps(*now):.0f} GB/s at most."
        return warned(measured, expected, why, SEAT)
    return passed(measured, expected)


@check(
    "active.throttle",
    title="Throttling under load",
    scope=ACTIVE,
    severity=MAJOR,
    looks_at="throttle reasons of every sample under load, highest temperature and power",
    why="Heat or a weak supply slows a card; a power cap under tensor load is normal.",
    needs=NEEDS,
    remedies=(COOL,),
    source="https://github.com/tensara/tensara/issues/226",
)
def throttle(facts: Facts, wanted: Wanted) -> Judgement:
    """No thermal or hardware slowdown in more than 2 % of the samples; a power cap is told."""
    del wanted
    return worst(facts, _throttle)


def _throttle(card: Facts) -> Judgement:
    seen = phases(card)
    samples = sum(item.count("samples") for item in seen)
    if not samples:
        raise Unread("active.devices.telemetry", "no sample was taken under load")
    reasons = [reason for item in seen for reason in keys(item, "throttle") if reason != "idle"]
    shares = {
        reason: sum(_times(item, reason) for item in seen) / samples for reason in sorted(reasons)
    }
    bad = {reason: share for reason, share in shares.items() if reason in SLOWDOWNS}
    measured = f"{label(card)}: {_shares(shares) or 'no throttling'}{_peaks(seen)}"
    expected = "no thermal or hardware slowdown"
    if any(share > RARE for share in bad.values()):
        return warned(measured, expected, f"Slowed by heat or supply: {_shares(bad)}.", COOL)
    if shares:
        why = f"{_shares(shares)} of the samples under load{_note(shares)}."
        return info(measured, expected, why)
    return passed(measured, expected)


def _times(item: Facts, reason: str) -> int:
    return item.count(f"throttle.{reason}") if reason in keys(item, "throttle") else 0


def _note(shares: dict[str, float]) -> str:
    return "; a power cap is normal under tensor load" if "power cap" in shares else ""


def _shares(shares: dict[str, float]) -> str:
    return ", ".join(f"{reason} in {share:.0%}" for reason, share in sorted(shares.items()))


def _peaks(seen: list[Facts]) -> str:
    parts = []
    for name, unit in (("temperature_c_max", "°C"), ("power_w_max", "W")):
        values = [item.number(name) for item in seen if item.was_read(name)]
        parts += [f"{max(values):.0f} {unit}"] if values else []
    return f", at most {', '.join(parts)}" if parts else ""


@check(
    "active.clocks",
    title="Clocks under load",
    scope=ACTIVE,
    severity=MAJOR,
    looks_at="SM clock in products and memory clock in copies against the card's highest",
    why="Clocks that somebody locked low, or that stay low, halve a card without any error.",
    needs=NEEDS,
    remedies=(CLOCKS,),
    after=("active.throttle",),
)
def clocks(facts: Facts, wanted: Wanted) -> Judgement:
    """SM clock at half of its highest or more, memory clock at nine tenths."""
    del wanted
    return worst(facts, _clocks)


def _clocks(card: Facts) -> Judgement:
    product, copy = phase(card, "fp32"), phase(card, "memory")
    if product is None or copy is None:
        raise Unread("active.devices.telemetry", "no sample was taken under load")
    sm, sm_max = product.number("sm_mhz_median"), card.number("sm_mhz_max")
    memory, memory_max = copy.number("memory_mhz_median"), card.number("memory_mhz_max")
    measured = f"{label(card)}: SM {sm:.0f} MHz, memory {memory:.0f} MHz"
    expected = f"SM {sm_max / 2:.0f} to {sm_max:.0f} MHz, memory about {memory_max:.0f} MHz"
    low = [
        f"{name} clock {now:.0f} of {best:.0f} MHz"
        for name, now, best, least in (("SM", sm, sm_max, 0.5), ("memory", memory, memory_max, 0.9))
        if now < least * best
    ]
    if low:
        return warned(measured, expected, f"Low under load: {', '.join(low)}.", CLOCKS)
    return passed(measured, expected)


@check(
    "active.steady",
    title="Speed over the burn-in",
    scope=ACTIVE,
    severity=MAJOR,
    looks_at="TFLOP/s of the first and the last three intervals of the burn-in",
    why="A card whose cooling does not hold is fast for a minute and slow for the night.",
    needs=(*NEEDS, "active.burn_in_s"),
    remedies=(COOL,),
)
def steady(facts: Facts, wanted: Wanted) -> Judgement:
    """No mode loses more than a tenth."""
    del wanted
    if facts.number("active.burn_in_s") <= 0:
        raise Unread("active.burn_in_s", "no burn-in was asked for")
    return worst(facts, _steady)


def _steady(card: Facts) -> Judgement:
    rows = card.each("burn_in.intervals")
    whole = [row for row in rows if row.was_read("tflops")]
    if len(whole) < FEWEST_INTERVALS:
        raise Unread("active.devices.burn_in.intervals", "too few intervals to compare")
    modes = keys(whole[0], "tflops")
    if not modes:
        raise Unread("active.devices.burn_in.intervals", "an interval holds no speeds")
    first, last = whole[:3], [row for row in whole if row.was_read(f"tflops.{modes[-1]}")][-3:]
    pairs = {
        mode: tuple(median(row.number(f"tflops.{mode}") for row in part) for part in (first, last))
        for mode in modes
    }
    if any(start <= 0 for start, _ in pairs.values()):
        raise Unread("active.devices.burn_in.intervals", "a speed is not above zero")
    name, expected = label(card), f"no more than {DROP:.0%} lost"
    text = ", ".join(f"{mode.upper()} {a:.1f} to {b:.1f}" for mode, (a, b) in pairs.items())
    lost = [
        f"{mode.upper()} {1 - b / a:.0%}" for mode, (a, b) in pairs.items() if b < (1 - DROP) * a
    ]
    measured = f"{name}: {text} TFLOP/s"
    if lost:
        why = f"{name} lost speed over the burn-in: {', '.join(lost)}{_seen(first[0], last[-1])}."
        return warned(measured, expected, why, COOL)
    return passed(measured, expected)


def _seen(first: Facts, last: Facts) -> str:
    parts = []
    for name, words, unit in (("sm_mhz", "SM clock", "MHz"), ("temperature_c", "from", "°C")):
        if first.was_read(name) and last.was_read(name):
            parts.append(f"{words} {first.number(name):.0f} to {last.number(name):.0f} {unit}")
    return f"; {', '.join(parts)}" if parts else ""


@check(
    "active.telemetry",
    title="Sensors during the run",
    scope=ACTIVE,
    severity=MAJOR,
    looks_at="readings of NVML, about ten a second, that failed",
    why="Sensors that stop answering in the middle of a load are a sign of their own.",
    needs=NEEDS,
    remedies=(SENSORS, FREE),
)
def telemetry(facts: Facts, wanted: Wanted) -> Judgement:
    """Every reading answered."""
    del wanted
    return worst(facts, _telemetry)


def _telemetry(card: Facts) -> Judgement:
    failures, samples = card.count("telemetry.failures"), card.count("telemetry.samples")
    measured, expected = f"{label(card)}: {samples} samples", "every reading answered"
    if failures:
        first = card.number("telemetry.first_failure.t_s")
        why = f"NVML first failed after {first:.0f} s: {card.text('telemetry.first_failure.why')}."
        told = f"{measured}, {failures} failed"
        return warned(told, expected, f"{why} The other results are not affected.", SENSORS)
    if not samples:
        raise Unread("active.devices.telemetry", "no sample was taken")
    return passed(measured, expected)


def _named(card: Facts, answer: Judgement) -> Judgement:
    reason = f"{label(card)}: {answer.reason}" if answer.reason else ""
    return Judgement(
        answer.status, f"{label(card)}: {answer.measured}", answer.expected, reason, answer.remedy
    )
