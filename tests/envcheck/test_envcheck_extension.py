"""The record of the kernels' build is judged without importing them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.records import Finding
from envcheck import api
from envcheck.facts import extension
from tests.envcheck.saved_machines import load


def record(torch: str, **more: Any) -> dict[str, Any]:
    return {"identity": {"torch": torch}, "cuda": True, "arch_list": ["8.6"], **more}


def judged(builds: list[dict[str, Any]]) -> Finding:
    machine = load("environments", "torch28-no-gpu")
    facts = {**machine.facts, "extension": {"builds": builds}}
    found = api.environment_findings(facts=facts)
    return next(item for item in found if item.id == "extension.built")


def test_a_build_for_this_torch_passes() -> None:
    """Exactly this torch, its local tag included."""
    assert judged([record("1.13.1+cu117"), record("2.8.0+cu128")]).status.value == "pass"


def test_a_build_for_another_torch_is_not_taken() -> None:
    """It is told for which torch the kernels were built (case 39)."""
    finding = judged([record("1.13.1+cu117")])

    assert finding.status.value == "info"
    assert "1.13.1+cu117" in finding.measured


def test_cpu_code_only_carries_the_builds_reason() -> None:
    """Why there is no CUDA code stands in the record."""
    finding = judged([record("2.8.0+cu128", cuda=False, reason="there is no nvcc")])

    assert "there is no nvcc" in finding.reason


def test_records_are_read_and_damage_is_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole records are facts; a damaged one makes the section unavailable."""
    monkeypatch.setenv("TORCHRIG_KERNELS", str(tmp_path))
    path = tmp_path / "a" / "build.json"
    path.parent.mkdir()

    path.write_text(json.dumps(record("2.8.0")))
    assert extension.collect() == {"builds": [record("2.8.0")]}

    path.write_text("{")
    assert "unavailable" in extension.collect()
