"""Findings as a JUnit report, in the shape that Ant's and Jenkins's schemas both accept."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import Iterable, Optional
from xml.etree import ElementTree as ET

from core.records import Finding
from core.status import CheckStatus
from envcheck.checks import registry
from envcheck.verdict import count

# What XML 1.0 can hold; everything else is shown as a replacement character
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report(
    scope: str,
    findings: Iterable[Finding],
    *,
    strict: bool = False,
    name: str = "",
    at: Optional[datetime] = None,
) -> str:
    """One suite, one case per finding.

    A failure is ``<failure>``, under ``strict`` a warning too. What was not judged is
    ``<skipped>``. Information and tolerated warnings stand in the suite's ``<system-out>``.
    The machine's name is left out.

    Args:
        scope: ``host``, ``environment`` or ``active``.
        findings: one for every check.
        strict: warnings fail.
        name: the environment's name; empty for none.
        at: when it was judged (default: now); written in UTC.
    """
    items = list(findings)
    suite = ET.Element("testsuite", _attributes(scope, items, strict=strict, name=name, at=at))
    properties = ET.SubElement(suite, "properties")
    ET.SubElement(properties, "property", name="strict", value=str(strict).lower())
    for item in items:
        _case(suite, scope, item, strict=strict)
    ET.SubElement(suite, "system-out").text = legal("\n".join(filter(None, map(_told, items))))
    ET.SubElement(suite, "system-err")
    root = ET.Element("testsuites")
    root.append(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def legal(text: str) -> str:
    """The text without what XML cannot hold; escape sequences show as replacement characters."""
    return _ILLEGAL.sub("\ufffd", text)


def _attributes(
    scope: str, items: list[Finding], *, strict: bool, name: str, at: Optional[datetime]
) -> dict[str, str]:
    counts = count(items)
    moment = (at or datetime.now(timezone.utc)).astimezone(timezone.utc)
    return {
        "name": _token(f"envcheck.{scope}.{name}" if name else f"envcheck.{scope}"),
        "package": "envcheck",
        "id": "0",
        "tests": str(len(items)),
        "failures": str(counts["fail"] + (counts["warn"] if strict else 0)),
        "errors": "0",
        "skipped": str(counts["skip"]),
        "time": "0",
        "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%S"),
        "hostname": "localhost",
    }


def _case(suite: ET.Element, scope: str, item: Finding, *, strict: bool) -> None:
    area, _, rest = item.id.partition(".")
    case = ET.SubElement(
        suite,
        "testcase",
        classname=_token(f"envcheck.{scope}.{area}"),
        name=_token(f"{rest}: {item.title}"),
        time="0",
    )
    if item.status is CheckStatus.SKIP:
        ET.SubElement(case, "skipped", message=legal(item.reason))
    if item.status is CheckStatus.FAIL or (strict and item.status is CheckStatus.WARN):
        severity = registry.described([item.id]).get(item.id, {}).get("severity", "unknown")
        failure = ET.SubElement(case, "failure", message=legal(item.reason), type=severity)
        failure.text = legal(_body(item))


def _body(item: Finding) -> str:
    return (
        f"measured: {item.measured}\nexpected: {item.expected}\nreason: {item.reason}\n"
        f"remedy: {item.remedy}"
    )


def _told(item: Finding) -> str:
    if item.status in (CheckStatus.PASS, CheckStatus.SKIP):
        return ""
    return f"{item.status.value} {item.id}: {item.measured}; {item.reason} {item.remedy}".rstrip()


def _token(text: str) -> str:
    """One line without runs of blanks, as xs:token wants it."""
    return " ".join(legal(text).split())
