"""What was recorded on a real H200 gets the recorded verdict here, and stays at its floors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core import jsonio
from envcheck import api, profiles

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "h200-envcheck"
DOCUMENTS = ("short", "inject", "burn-in", "cut-short")


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = jsonio.read(FOLDER / f"{name}.json")
    return found


def active_only(findings: list[dict[str, str]]) -> dict[str, str]:
    return {item["id"]: item["status"] for item in findings if item["id"].startswith("active.")}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_replay_gives_the_recorded_statuses(name: str) -> None:
    """Every active finding of the real run; memory cut short after its first test is told now."""
    document = recorded(name)
    section = {"active": document["facts"]["active"]}
    report = api.active_report(facts=section, profile="h200")
    expected = active_only(document["findings"])
    if name == "cut-short":
        expected["active.memory"] = "info"

    assert expected == active_only([finding.to_dict() for finding in report.findings])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_floors_lie_below_every_run(name: str) -> None:
    """Each measured speed is at its floor, and the floor is one that was measured."""
    device = recorded(name)["facts"]["active"]["devices"][0]
    floors = profiles.load("h200").active
    found = {f"{row['mode']}_tflops": row["tflops"] for row in device["matrix"]["modes"]}
    found.update({key: value for key, value in device["copies"].items() if key != "intact"})

    assert set(found) == set(floors)
    for key, expected in floors.items():
        assert not expected.unverified
        assert expected.value * expected.fraction <= found[key] <= 1.1 * expected.value


def test_the_burn_in_has_its_time_line() -> None:
    """60 s at about ten samples a second, clocks, power and temperature in every row."""
    device = recorded("burn-in")["facts"]["active"]["devices"][0]
    line = device["telemetry"]["timeline"]
    burning = [t for t, phase in zip(line["t_s"], line["phase"]) if phase == "burn-in"]

    assert burning[-1] - burning[0] >= 59
    assert len(burning) >= 500
    for column in ("sm_mhz", "memory_mhz", "power_w", "temperature_c", "memory_used_mib"):
        assert None not in line[column]
    assert device["burn_in"]["wrong"] == 0


@pytest.mark.parametrize("name", [*DOCUMENTS, "terminal"])
def test_the_evidence_names_no_card_and_no_folder(name: str) -> None:
    """No UUID, no path of the machine it was recorded on."""
    path = FOLDER / ("terminal.txt" if name == "terminal" else f"{name}.json")
    text = path.read_text(encoding="utf-8")

    assert "GPU-" not in text
    assert "/home/" not in text
    assert "/root" not in text


@pytest.mark.parametrize("name", profiles.names())
def test_every_expected_speed_has_its_source(name: str) -> None:
    """Source, date and a fraction below one; on a card nobody measured it is unverified."""
    for expected in profiles.load(name).active.values():
        assert expected.source
        assert expected.date
        assert 0 < expected.fraction < 1
        assert expected.unverified == (name != "h200")
