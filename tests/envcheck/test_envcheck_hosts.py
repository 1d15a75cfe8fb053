"""Saved machines are judged rightly: a broken one names exactly its fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.records import Finding
from envcheck import api, cli, saved
from tests.envcheck.saved_machines import (
    HERE,
    TABLE,
    Machine,
    derived,
    description,
    load,
    recorded,
)


def judged(machine: Machine) -> api.Report:
    options = machine.options
    if machine.scope == "host":
        return api.host_report(
            facts=machine.facts,
            environments=options.get("environments", TABLE),
            device=options.get("device", "auto"),
            profile=options.get("profile", ""),
            space_bytes=options.get("space_bytes"),
        )
    return api.environment_report(
        facts=machine.facts,
        environment=description(machine),
        device=options.get("device", "auto"),
    )


def named(findings: tuple[Finding, ...], status: str) -> list[str]:
    return [finding.id for finding in findings if finding.status.value == status]


ALL = [("hosts", name) for name in derived("hosts")]
ALL += [("environments", name) for name in derived("environments")]


@pytest.mark.parametrize(("folder", "name"), ALL)
def test_a_saved_machine_names_exactly_its_fault(folder: str, name: str) -> None:
    """The failing and warning checks are those of the case, and the text says what it must."""
    machine = load(folder, name)
    findings = judged(machine).findings
    wrong = {key: machine.expect.get(key, []) for key in ("fail", "warn")}

    assert wrong == {key: named(findings, key) for key in wrong}
    for identity in machine.expect.get("info", []):
        assert identity in named(findings, "info")
    about = {item for group in machine.expect.values() for item in group}
    text = " ".join(
        f"{f.measured} {f.expected} {f.reason} {f.remedy}" for f in findings if f.id in about
    )
    for words in machine.says:
        assert words in text
    for words in machine.not_says:
        assert words not in text


def test_there_are_enough_saved_hosts() -> None:
    """At least 25 hosts, each marked as recorded or synthetic."""
    names = derived("hosts") + recorded("hosts")
    notes = [json.loads((HERE / "hosts" / f"{name}.json").read_text())["note"] for name in names]

    assert len(names) >= 25
    assert all(notes)


@pytest.mark.parametrize("name", ["4090d-healthy", "h200", "cpu-docker"])
def test_a_healthy_host_passes_strictly(name: str) -> None:
    """No warning and no failure on a host that is right."""
    report = judged(load("hosts", name))

    assert [] == named(report.findings, "fail") + named(report.findings, "warn")
    assert report.exit_status(strict=True) == 0


def test_strict_makes_a_warning_fail() -> None:
    """The same host passes with a warning and fails under --strict."""
    report = judged(load("hosts", "case52-power-limit"))

    assert ("warn", 0) == (report.verdict(), report.exit_status())
    assert ("fail", 1) == (report.verdict(strict=True), report.exit_status(strict=True))


def test_a_host_without_a_gpu_says_so() -> None:
    """Information that only CPU rows can run, and an overall pass."""
    report = judged(load("hosts", "cpu-docker"))

    assert "gpu.present" in named(report.findings, "info")
    assert report.verdict() == "pass"


def test_code_of_an_older_minor_serves_the_card() -> None:
    """An sm_86 list serves an 8.9 card: a literal sm_89 is not demanded (case 21)."""
    report = judged(load("environments", "torch113-4090d"))
    finding = next(f for f in report.findings if f.id == "device.architecture")

    assert finding.status.value == "pass"
    assert "8.9 runs sm_86" in finding.measured


def test_a_declared_toolkit_difference_is_information() -> None:
    """Toolkit 12.4 beside wheel 12.8 is declared by the table (case 19)."""
    report = judged(load("environments", "torch28-4090d"))

    assert "toolchain.nvcc" in named(report.findings, "info")


@pytest.mark.parametrize("name", recorded("environments"))
def test_a_recorded_environment_is_replayed_without_a_fault(name: str) -> None:
    """What was read from a real environment passes, unmanaged."""
    report = api.environment_report(facts=load("environments", name).facts)

    assert [] == named(report.findings, "fail")


def test_the_verdict_of_a_saved_file_is_that_of_its_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--facts judges anywhere: exit status 1 and the remedy for a broken host."""
    machine = load("hosts", "case01-snap")
    path = tmp_path / "host.json"
    path.write_text(json.dumps(saved.document(machine.facts, "host")))

    assert cli.main(["--facts", str(path)]) == 1
    assert "snap remove docker" in capsys.readouterr().out
