"""The JUnit report holds to the published schema of Ant's reports, whatever the findings say."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from core.records import Finding
from core.status import CheckStatus
from envcheck import api, cli, junit
from tests.envcheck.saved_machines import TABLE, load

HOSTILE = "</failure><!-- & \"' ]]> \x00\x1b[31m\ud800\ufffe\U0001f600 <script>"
AT = datetime(2026, 12, 1, 8, 30, 0, tzinfo=timezone.utc)
SUITE = {"name", "timestamp", "hostname", "tests", "failures", "errors", "time", "package", "id"}
TOKEN = re.compile(r"\S+( \S+)*")


def finding(status: str, text: str = "text", name: str = "gpu.pcie") -> Finding:
    return Finding(name, text, CheckStatus(status), text, text, text, text)


ALL = [finding(status.value) for status in CheckStatus]


def parsed(text: str) -> ET.Element:
    root = ET.fromstring(text.encode("utf-8"))
    assert_schema(root)
    return root


def assert_schema(root: ET.Element) -> None:
    """The rules of the schema: elements, their order and number, required attributes, types."""
    assert "testsuites" == root.tag
    for suite in root:
        assert "testsuite" == suite.tag
        assert set(suite.attrib) >= SUITE
        assert set(suite.attrib) <= SUITE | {"skipped"}
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
        assert TOKEN.fullmatch(suite.attrib["name"])
        for count in ("tests", "failures", "errors", "skipped", "id"):
            assert 0 <= int(suite.attrib[count])
        assert 0 <= float(suite.attrib["time"])
        tags = [child.tag for child in suite]
        cases = suite.findall("testcase")
        assert ["properties", *["testcase"] * len(cases), "system-out", "system-err"] == tags
        for entry in suite.findall("properties/*"):
            assert ("property", {"name", "value"}) == (entry.tag, set(entry.attrib))
        for case in cases:
            assert_case(case)
        assert_counts(suite, cases)


def assert_case(case: ET.Element) -> None:
    assert {"name", "classname", "time"} == set(case.attrib)
    assert TOKEN.fullmatch(case.attrib["name"])
    assert TOKEN.fullmatch(case.attrib["classname"])
    assert len(case) <= 1
    for child in case:
        assert child.tag in ("skipped", "error", "failure")
        assert len(child) == 0
        if child.tag != "skipped":
            assert {"message", "type"} == set(child.attrib)


def assert_counts(suite: ET.Element, cases: list[ET.Element]) -> None:
    children = [child.tag for case in cases for child in case]
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.attrib[attribute]) == children.count(tag)
    assert int(suite.attrib["tests"]) == len(cases)


def test_every_status_has_its_element() -> None:
    """Fail is a failure, skip is skipped; pass, info and warn are neither."""
    cases = parsed(junit.report("host", ALL, at=AT)).findall("testsuite/testcase")
    found = {item.status.value: [child.tag for child in case] for item, case in zip(ALL, cases)}

    assert {
        "pass": [], "info": [], "warn": [], "fail": ["failure"], "skip": ["skipped"],
    } == found  # fmt: skip


def test_under_strict_a_warning_is_a_failure() -> None:
    """The same rule as the exit status."""
    root = parsed(junit.report("host", ALL, strict=True, at=AT))

    assert 2 == len(root.findall("testsuite/testcase/failure"))


def test_a_failure_says_all_there_is_to_say() -> None:
    """Reason as the message, severity as the type; measured, expected and remedy below."""
    bad = Finding(
        "gpu.profile", "Card", CheckStatus.FAIL, "a 4090", "a 4090 D", "Another card.", "Ask."
    )
    failure = parsed(junit.report("host", [bad], at=AT)).find("testsuite/testcase/failure")

    assert failure is not None
    assert {"message": "Another card.", "type": "critical"} == failure.attrib
    assert "measured: a 4090\nexpected: a 4090 D\n" in (failure.text or "")
    assert "remedy: Ask." in (failure.text or "")


def test_a_tolerated_warning_is_still_told() -> None:
    """Information and warnings stand in the suite's output."""
    out = parsed(junit.report("host", ALL, at=AT)).findtext("testsuite/system-out")

    assert "warn gpu.pcie" in (out or "")
    assert "info gpu.pcie" in (out or "")


@pytest.mark.parametrize("status", [status.value for status in CheckStatus])
def test_hostile_texts_stay_texts(status: str) -> None:
    """Markup is escaped; what XML cannot hold is replaced; nothing is lost beside it."""
    text = junit.report("host", [finding(status, HOSTILE)], name=HOSTILE, strict=True, at=AT)
    root = parsed(text)

    assert "<script>" not in text
    assert "\U0001f600" in root.find("testsuite/testcase").attrib["name"]
    assert not re.search("[\x00\x1b\ud800\ufffe]", text)


def test_the_machines_name_is_left_out() -> None:
    """A report can be handed on: it names no host."""
    root = parsed(junit.report("host", ALL, at=AT))

    assert "localhost" == root.find("testsuite").attrib["hostname"]


@pytest.mark.parametrize("name", ["4090d-healthy", "case13-busy-x1", "h200", "missing-fields"])
def test_a_saved_host_becomes_a_report(name: str) -> None:
    """Every finding is a case."""
    report = api.host_report(facts=load("hosts", name).facts, environments=TABLE)
    root = parsed(junit.report(report.scope, report.findings))

    assert len(report.findings) == len(root.findall("testsuite/testcase"))


def test_the_command_line_writes_it(tmp_path: Path) -> None:
    """--junit FILE, whatever this machine is."""
    path = tmp_path / "new" / "report.xml"
    cli.main(["--host", "--device", "cpu", "--junit", str(path)])

    assert "envcheck.host" == parsed(path.read_text("utf-8")).find("testsuite").attrib["name"]
