"""Saved machines are judged rightly: a broken one names exactly its fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.records import Finding
from envcheck import api, cli, saved
from envcheck.checks import registry
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
    for status in ("info", "skip", "pass"):
        assert set(machine.expect.get(status, [])) <= set(named(findings, status))
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


@pytest.mark.parametrize("name", ["4090d-healthy", "4090-healthy"])
def test_a_healthy_host_passes_strictly(name: str) -> None:
    """No warning and no failure on a host that is right."""
    report = judged(load("hosts", name))

    assert [] == named(report.findings, "fail") + named(report.findings, "warn")
    assert report.exit_status(strict=True) == 0


@pytest.mark.parametrize("name", ["h200", "cpu-docker"])
def test_a_recorded_host_is_judged_as_it_was(name: str) -> None:
    """Nothing set the clock of either machine; nothing else was wrong with them."""
    report = judged(load("hosts", name))

    assert ["system.clock"] == named(report.findings, "fail") + named(report.findings, "warn")


def test_the_healthy_4090d_passes_strictly_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--facts FILE --profile rtx4090d --strict: exit status 0 and not one warning."""
    path = tmp_path / "host.json"
    path.write_text(json.dumps(saved.document(load("hosts", "4090d-healthy").facts, "host")))

    assert 0 == cli.main(
        ["--host", "--facts", str(path), "--profile", "rtx4090d", "--strict"], environments=TABLE
    )
    printed = capsys.readouterr().out
    assert "verdict: pass" in printed
    assert "warn" not in printed
    assert "fail" not in printed


@pytest.mark.parametrize(("folder", "name"), ALL)
def test_one_planted_fault_is_one_finding(folder: str, name: str) -> None:
    """One cause gives one failure or warning; only an nvcc that is old in two ways gives two."""
    findings = judged(load(folder, name)).findings
    bad = named(findings, "fail") + named(findings, "warn")

    assert len(bad) <= (2 if name == "case23-distribution-nvcc" else 1)


@pytest.mark.parametrize(("folder", "name"), ALL)
def test_a_finding_is_not_worse_than_its_checks_severity(folder: str, name: str) -> None:
    """Critical checks may fail, major ones warn, minor ones inform."""
    allowed = {"critical": ("fail", "warn"), "major": ("warn",), "minor": ()}
    severity = {item.id: item.severity for item in registry.load()}

    for finding in judged(load(folder, name)).findings:
        if finding.status.value in ("fail", "warn"):
            assert finding.status.value in allowed[severity[finding.id]]


@pytest.mark.parametrize(("card", "profile"), [("4090-healthy", "rtx4090d"),
                                               ("4090d-healthy", "rtx4090")])  # fmt: skip
def test_a_4090_is_never_judged_by_the_numbers_of_a_4090_d(card: str, profile: str) -> None:
    """Under the other's profile it is another card, and no number of that profile is compared."""
    machine = load("hosts", card)
    finding = next(
        f
        for f in api.host_report(facts=machine.facts, profile=profile).findings
        if f.id == "gpu.profile"
    )

    assert "fail" == finding.status.value
    assert "PCI" in finding.reason
    for number in ("425", "450", "14592", "16384"):
        assert number not in finding.reason


def test_an_unknown_card_is_judged_by_what_it_says_of_itself() -> None:
    """No profile fits: capability and queried limits still decide."""
    machine = load("hosts", "4090d-healthy")
    card = machine.facts["nvidia"]["devices"][0]
    card.update(name="NVIDIA Card Of Tomorrow", pci_id="10de:ffff", power_limit_w=200.0)
    findings = api.host_report(facts=machine.facts, environments=TABLE).findings

    assert ["gpu.power_limit"] == named(findings, "fail") + named(findings, "warn")
    assert "gpu.profile" in named(findings, "skip")


def test_strict_makes_a_warning_fail() -> None:
    """The same host passes with a warning and fails under --strict."""
    report = judged(load("hosts", "case52-power-limit"))

    assert ("warn", 0) == (report.verdict(), report.exit_status())
    assert ("fail", 1) == (report.verdict(strict=True), report.exit_status(strict=True))


def test_a_host_without_a_gpu_says_so() -> None:
    """Information that only CPU rows can run; that is no failure."""
    report = judged(load("hosts", "cpu-docker"))

    assert "gpu.present" in named(report.findings, "info")
    assert (report.verdict(), report.exit_status()) == ("warn", 0)


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
