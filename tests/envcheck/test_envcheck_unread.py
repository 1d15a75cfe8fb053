"""Facts that are missing or spoilt: always a verdict, never a pass for what was not read."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envcheck import api, verdict
from envcheck.checks import registry
from envcheck.reading import Facts, Unread
from tests.envcheck.saved_machines import TABLE, description, load

HOST = load("hosts", "4090d-healthy")
ENVIRONMENT = load("environments", "torch28-4090d")
SPOILT = st.one_of(
    st.text(max_size=12),
    st.none(),
    st.just({"unavailable": "not allowed"}),
    st.just({"unavailable": ""}),
    st.integers(-5, 5),
    st.just(float("nan")),
    st.just([1]),
    st.just({}),
    st.booleans(),
)


def paths(data: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in nested data, sections included."""
    found = [before] if before else []
    items = data.items() if isinstance(data, dict) else enumerate(data)
    if isinstance(data, (dict, list)):
        for key, value in items:
            found += paths(value, (*before, key)) if isinstance(value, (dict, list)) else [
                (*before, key)
            ]  # fmt: skip
    return found


def spoil(facts: dict[str, Any], changes: dict[tuple[Any, ...], Any]) -> dict[str, Any]:
    """A copy with places replaced, or removed where the change is ``...``."""
    spoilt = copy.deepcopy(facts)
    for path, value in changes.items():
        node: Any = spoilt
        for key in path[:-1]:
            inside = isinstance(node, dict) and key in node
            listed = isinstance(node, list) and isinstance(key, int) and key < len(node)
            if not (inside or listed):
                break
            node = node[key]
        else:
            _change(node, path[-1], value)
    return spoilt


def _change(node: Any, key: Any, value: Any) -> None:
    if isinstance(node, dict) and key in node:
        if value is ...:
            del node[key]
        else:
            node[key] = value
    elif isinstance(node, list) and isinstance(key, int) and key < len(node) and value is not ...:
        node[key] = value


def changes(facts: dict[str, Any]) -> st.SearchStrategy[dict[tuple[Any, ...], Any]]:
    return st.dictionaries(
        st.sampled_from(paths(facts)), st.one_of(st.just(...), SPOILT), max_size=6
    )


def was_read(facts: dict[str, Any], path: str) -> bool:
    try:
        Facts(facts).value(path)
    except Unread:
        return False
    return True


def assert_sound(report: api.Report) -> None:
    """A verdict, one finding per check, and no pass without what the check needs."""
    checks = {item.id: item for item in registry.load(report.scope)}

    assert report.verdict() in (verdict.PASS, verdict.WARN, verdict.FAIL, verdict.UNKNOWN)
    assert list(checks) == [finding.id for finding in report.findings]
    for finding in report.findings:
        if finding.status.value == "pass":
            assert [] == [p for p in checks[finding.id].needs if not was_read(report.facts, p)]


SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@SETTINGS
@given(changes(HOST.facts))
def test_a_spoilt_host_gets_a_verdict(spoilt: dict[tuple[Any, ...], Any]) -> None:
    """Any fields of a host removed or replaced."""
    facts = spoil(HOST.facts, spoilt)

    assert_sound(api.host_report(facts=facts, environments=TABLE, profile="rtx4090d"))


@SETTINGS
@given(changes(ENVIRONMENT.facts))
def test_a_spoilt_environment_gets_a_verdict(spoilt: dict[tuple[Any, ...], Any]) -> None:
    """Any fields of an environment removed or replaced."""
    facts = spoil(ENVIRONMENT.facts, spoilt)

    assert_sound(api.environment_report(facts=facts, environment=description(ENVIRONMENT)))


@pytest.mark.parametrize(
    "item", registry.load(registry.HOST, registry.ENVIRONMENT), ids=lambda item: item.id
)
def test_no_check_passes_on_what_was_not_read(item: registry.Check) -> None:
    """Each needed fact taken away, one at a time, costs the check its pass."""
    machine = HOST if item.scope == registry.HOST else ENVIRONMENT
    for need in item.needs:
        facts = spoil(machine.facts, {tuple(need.split(".")): {"unavailable": "taken away"}})
        report = (
            api.host_report(facts=facts, environments=TABLE)
            if item.scope == registry.HOST
            else api.environment_report(facts=facts, environment=description(machine))
        )
        finding = next(f for f in report.findings if f.id == item.id)

        assert finding.status.value not in ("pass", "info")


def garbled(data: Any) -> Any:
    """The same shape with every value replaced by a text."""
    if isinstance(data, dict):
        return {key: garbled(value) for key, value in data.items()}
    return [garbled(item) for item in data] if isinstance(data, list) else "garbled"


def test_no_check_passes_on_garbled_values() -> None:
    """Every value replaced by a text of no meaning: only names of things are still texts.

    An empty list has no value that could be replaced: no Xid event stays none.
    """
    host = api.host_report(facts=garbled(HOST.facts), environments=TABLE, profile="rtx4090d")
    inside = api.environment_report(
        facts=garbled(ENVIRONMENT.facts), environment=description(ENVIRONMENT)
    )
    passing = [f.id for f in (*host.findings, *inside.findings) if f.status.value == "pass"]

    assert set(passing) <= {"system.platform", "gpu.present", "gpu.xid"}


def test_nothing_read_at_all_is_unknown() -> None:
    """A host of which nothing was read does not pass."""
    report = api.host_report(facts={})

    assert report.verdict() == verdict.UNKNOWN
    assert report.exit_status() == 1
