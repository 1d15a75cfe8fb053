"""Active facts judged: every kind of fault is named with its card, a healthy card passes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.records import Finding
from envcheck import api, cli, saved
from envcheck.checks import registry
from envcheck.reading import Facts, Unread
from tests.envcheck.active_facts import active, card, intervals, phase
from tests.envcheck.saved_machines import load, put

GPU0 = "GPU 0 (NVIDIA GeForce RTX 4090 D)"


def judged(facts: dict[str, Any], profile: str = "rtx4090d") -> dict[str, Finding]:
    report = api.active_report(facts=facts, profile=profile)
    return {finding.id: finding for finding in report.findings}


def with_status(found: dict[str, Finding], *statuses: str) -> list[str]:
    return [name for name, finding in found.items() if finding.status.value in statuses]


def changed(path: str, value: Any) -> dict[str, Any]:
    facts = active()
    put(facts["active"]["devices"][0], path, value)
    return facts


def all_phases(**changes: Any) -> list[dict[str, Any]]:
    return [phase(name, **changes) for name in ("fp32", "bf16", "host copy", "memory", "burn-in")]


def test_a_healthy_card_passes_strictly() -> None:
    """No warning, no failure, nothing left unjudged, exit status 0 even under --strict."""
    report = api.active_report(facts=active(), profile="rtx4090d")
    found = judged(active())

    assert [] == with_status(found, "fail", "warn", "skip")
    assert 0 == report.exit_status(strict=True)
    assert "4100 in 60 s of burn-in" in found["active.matrix"].measured
    assert "22.0 of 24.0 GiB" in found["active.memory"].measured


THROTTLED = {"software thermal": 9, "power cap": 4}
FAULTS: list[tuple[str, str, str, Any, str]] = [
    ("active.matrix", "fail", "burn_in.wrong", 3, "first in bf16 after 41 s"),
    ("active.matrix", "fail", "matrix.modes.2.wrong", 1, "Wrong elements: 1 in bf16"),
    ("active.matrix", "fail", "reference", "2 of 8192 rows differ", "2 of 8192 rows"),
    ("active.memory", "fail", "memory.patterns.4.wrong_words", 7, "7 words came back wrong"),
    ("active.memory", "fail", "hot_memory.patterns.0.wrong_words", 1, "1 words"),
    ("active.copies", "fail", "copies.intact", False, "did not come back"),
    ("active.complete", "fail", "error", "memory: RuntimeError: CUDA error", "CUDA error"),
    ("active.throttle", "warn", "telemetry.phases", all_phases(throttle=THROTTLED), "thermal"),
    ("active.pcie", "warn", "telemetry.phases", all_phases(pcie_generation_median=1), "4 GB/s"),
    ("active.pcie", "warn", "telemetry.phases", all_phases(pcie_width_median=1), "2 GB/s"),
    ("active.clocks", "warn", "telemetry.phases", all_phases(sm_mhz_median=600), "600 of 3105"),
    ("active.clocks", "warn", "telemetry.phases", all_phases(memory_mhz_median=5001), "5001 of"),
    ("active.steady", "warn", "burn_in.intervals", intervals(140, 98, (2640, 1800)), "BF16"),
    ("active.telemetry", "warn", "telemetry.failures", 12, "after 34 s: GPU is lost"),
]


@pytest.mark.parametrize(("name", "status", "path", "value", "says"), FAULTS)
def test_a_fault_is_named_alone(name: str, status: str, path: str, value: Any, says: str) -> None:
    """One fault gives one finding that is not well, with its figures and the card's name."""
    facts = active()
    device = facts["active"]["devices"][0]
    device["burn_in"].update(first_wrong_s=41.0, first_wrong_mode="bf16")
    device["telemetry"]["first_failure"] = {"t_s": 34.0, "why": "GPU is lost"}
    put(device, path, value)
    found = judged(facts)

    assert [name] == with_status(found, "fail", "warn")
    assert status == found[name].status.value
    assert says in found[name].reason
    assert GPU0 in found[name].measured + found[name].reason
    assert found[name].remedy


def test_a_power_cap_is_information() -> None:
    """A power cap is normal under tensor load: told, with its share, and nothing is lost by it."""
    found = judged(changed("telemetry.phases", all_phases(throttle={"power cap": 18})))

    assert "info" == found["active.throttle"].status.value
    assert "power cap in 90%" in found["active.throttle"].reason
    assert [] == with_status(found, "fail", "warn")


def test_a_single_thermal_sample_does_not_warn() -> None:
    """Heat in no more than one sample of fifty is told and does not warn."""
    phases = [*all_phases(), phase("fp16", throttle={"software thermal": 1})]
    found = judged(changed("telemetry.phases", phases))

    assert "info" == found["active.throttle"].status.value


def test_the_drop_names_clock_and_temperature() -> None:
    """A loss of speed stands beside what the sensors saw at both ends."""
    finding = judged(changed("burn_in.intervals", intervals(140, 98, (2640, 1800))))[
        "active.steady"
    ]

    assert "SM clock 2640 to 1800 MHz" in finding.reason
    assert "60 to 88 °C" in finding.reason


def test_the_faulty_one_of_two_cards_is_named() -> None:
    """The finding names the second card and not the first."""
    bad = card(1)
    bad["matrix"]["modes"][0]["wrong"] = 1
    finding = judged(active(card(0), bad))["active.matrix"]

    assert "fail" == finding.status.value
    assert "GPU 1" in finding.measured
    assert "GPU 0" not in finding.measured + finding.reason + finding.remedy


def test_a_fault_counts_although_the_other_card_was_not_read() -> None:
    """What is known to be wrong is told, whatever else is missing."""
    bad, lost = card(0), card(1)
    bad["memory"]["patterns"][0]["wrong_words"] = 2
    lost["memory"] = {"unavailable": "not reached"}

    assert "fail" == judged(active(bad, lost))["active.memory"].status.value
    assert "skip" == judged(active(card(0), lost))["active.memory"].status.value


def test_uuid_stands_only_where_it_was_read() -> None:
    """The card is named by index and name; the UUID joins them with --identify."""
    facts = changed("uuid", "GPU-made-up")
    facts["active"]["devices"][0]["reference"] = "wrong"

    assert "GPU-made-up" in judged(facts)["active.matrix"].measured


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [(1, "--inject"), (2, "out of"), (0, "out of")],
)
def test_an_injected_flip_fails_and_says_so(wrong: int, remedy: str) -> None:
    """Found alone: the remedy is to run without it. More than it, or nothing: a true fault."""
    facts = changed("burn_in.injected", value=True)
    facts["active"]["devices"][0]["burn_in"].update(
        wrong=wrong, first_wrong_s=30.0, first_wrong_mode="fp32"
    )
    finding = judged(facts)["active.matrix"]

    assert "fail" == finding.status.value
    assert remedy in finding.remedy


def speeds(**values: float) -> dict[str, Any]:
    facts = active()
    for row in facts["active"]["devices"][0]["matrix"]["modes"]:
        row["tflops"] = values.get(row["mode"], row["tflops"])
    return facts


def test_an_unverified_figure_informs() -> None:
    """The 4090 D's public reading was measured by nobody here: below it is information."""
    finding = judged(speeds(bf16=90.0))["active.throughput"]

    assert "info" == finding.status.value
    assert "BF16 is 90.0 TFLOP/s, below" in finding.reason


def test_an_unknown_card_is_judged_by_what_it_says_of_itself() -> None:
    """Half of multiprocessors x operations x the highest sampled clock: below it warns."""
    peak = 114 * 256 * 2730 / 1e6
    low = judged(speeds(fp32=0.49 * peak), "generic")["active.throughput"]
    well = judged(speeds(fp32=0.51 * peak), "generic")["active.throughput"]

    assert "warn" == low.status.value
    assert "pass" == well.status.value


def test_a_measured_figure_fails() -> None:
    """The H200's floors were measured: below them is a failure."""
    facts = speeds(bf16=300.0)
    facts["active"]["devices"][0]["pci_id"] = "10de:2335"
    finding = judged(facts, "h200")["active.throughput"]

    assert "fail" == finding.status.value
    assert "profile h200" in finding.expected


def test_slow_copies_warn_by_the_link_and_the_memory() -> None:
    """On an unknown card: half of what memory clock and bus, and what the link, can carry."""
    slow_memory = judged(changed("copies.device_gbps", 400.0), "generic")["active.copies"]
    slow_link = judged(changed("copies.host_to_device_gbps", 3.1), "generic")["active.copies"]

    assert "warn" == slow_memory.status.value
    assert "on the device is 400.0 GB/s, below 504.0" in slow_memory.reason
    assert "host to device is 3.1 GB/s, below 16.0" in slow_link.reason or "3.1" in slow_link.reason


def test_another_card_is_not_judged_by_the_profile() -> None:
    """A 4090 under the 4090 D's profile fails as the wrong card; its speeds are not compared."""
    found = judged(changed("pci_id", "10de:2684"))

    assert ["active.card"] == with_status(found, "fail", "warn")
    assert "profile rtx4090d" not in found["active.throughput"].expected


@pytest.mark.parametrize(
    ("changes", "status", "says"),
    [
        ({"state": "interrupted"}, "warn", "cut short"),
        ({"state": "died", "ending": "signal 11, during GPU 0: memory"}, "fail", "signal 11"),
        ({"device": "cpu"}, "fail", "A GPU was asked for"),
    ],
)
def test_an_early_end_is_no_pass(changes: dict[str, Any], status: str, says: str) -> None:
    """Cut short warns, a dead process fails, and so does the CPU where a GPU is wanted."""
    finding = judged(active(**changes))["active.complete"]

    assert status == finding.status.value
    assert says in finding.reason


def test_no_torch_fails() -> None:
    """Where nothing could be run, the run itself fails and nothing passes."""
    found = judged({"active": {"unavailable": "torch cannot be imported"}})

    assert ["active.complete"] == with_status(found, "fail")
    assert [] == with_status(found, "pass", "info", "warn")


def test_memory_not_tested_again_is_told() -> None:
    """The first test counts where the run was cut short before the second."""
    finding = judged(changed("hot_memory", {"unavailable": "cut short"}))["active.memory"]

    assert "info" == finding.status.value
    assert "Not tested again after the burn-in: cut short." == finding.reason


def test_memory_in_use_is_told() -> None:
    """A card of which a small part was free is no full pass."""
    finding = judged(changed("memory.tested_bytes", 6 * 1024**3))["active.memory"]

    assert "info" == finding.status.value
    assert "6.0 of 24.0 GiB" in finding.measured


def test_host_facts_with_an_active_section_are_judged_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One saved file holds both; replayed, it gives the same verdict on any machine."""
    facts = {**load("hosts", "4090d-healthy").facts, **changed("burn_in.wrong", 1)}
    facts["active"]["devices"][0]["burn_in"].update(first_wrong_s=2.0, first_wrong_mode="fp16")
    report = api.host_report(facts=facts, profile="rtx4090d")
    path = tmp_path / "host.json"
    path.write_text(json.dumps(saved.document(facts, "host")))
    again = tmp_path / "again.json"

    assert 1 == cli.main(["--facts", str(path), "--profile", "rtx4090d", "--json", str(again)])
    assert report.to_dict() == json.loads(again.read_text())
    assert GPU0 in capsys.readouterr().out


def places(data: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = data.items() if isinstance(data, dict) else enumerate(data)
    found = [before] if before else []
    for key, value in items:
        deeper = isinstance(value, (dict, list))
        found += places(value, (*before, key)) if deeper else [(*before, key)]
    return found


SPOILT = st.one_of(st.text(max_size=6), st.none(), st.integers(-3, 3), st.just([]), st.just({}))
WHOLE = active()


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.dictionaries(st.sampled_from(places(WHOLE)), SPOILT, max_size=4))
def test_spoilt_facts_get_a_verdict(spoilt: dict[tuple[Any, ...], Any]) -> None:
    """Any fields replaced: a finding for every check, and no exception."""
    facts = copy.deepcopy(WHOLE)
    for path, value in sorted(spoilt.items(), key=lambda item: -len(item[0])):
        node: Any = facts
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = value
    report = api.active_report(facts=facts, profile="rtx4090d")

    known = registry.load(registry.ACTIVE) if "active" in facts else []
    assert [item.id for item in known] == [finding.id for finding in report.findings]


@pytest.mark.parametrize("item", registry.load(registry.ACTIVE), ids=lambda item: item.id)
def test_no_active_check_passes_on_what_was_not_read(item: registry.Check) -> None:
    """Each needed fact taken away costs the check its pass."""
    for need in item.needs:
        facts = active()
        put(facts, need, {"unavailable": "taken away"})
        with pytest.raises(Unread):
            Facts(facts).value(need)

        assert judged(facts)[item.id].status.value in ("fail", "skip")
