"""The documented schemas are what the code says, and what is written holds to them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from envcheck import api, cli, fields, saved, schemas
from envcheck.checks import registry
from envcheck.facts import collect
from tests.envcheck.saved_machines import TABLE, derived, description, load, recorded

ALL = [(f, n) for f in ("hosts", "environments") for n in [*derived(f), *recorded(f)]]


@cache
def validator(name: str) -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="a development tool of the host side")
    schema = schemas.documents()[f"envcheck-{name}.schema.json"]
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def faults(document: Any, name: str) -> list[str]:
    return [f"{e.json_path}: {e.message[:200]}" for e in validator(name).iter_errors(document)]


@pytest.mark.parametrize("name", list(schemas.documents()))
def test_a_committed_schema_is_fresh(name: str) -> None:
    """docs/schemas holds what `python -m envcheck.schemas` writes."""
    committed = json.loads((schemas.FOLDER / name).read_text(encoding="utf-8"))

    assert schemas.documents()[name] == committed


@pytest.mark.parametrize(("folder", "name"), ALL)
def test_saved_facts_and_their_verdict_hold_to_the_schemas(folder: str, name: str) -> None:
    """Every saved machine, recorded or derived."""
    machine = load(folder, name)
    if machine.scope == "host":
        report = api.host_report(facts=machine.facts, environments=TABLE)
    else:
        report = api.environment_report(facts=machine.facts, environment=description(machine))

    assert [] == faults(saved.document(machine.facts, machine.scope), "facts")
    assert [] == faults(report.to_dict(), "verdict")


def test_what_is_written_here_holds_to_the_schemas(tmp_path: Path) -> None:
    """The command line on this machine."""
    facts, verdict = tmp_path / "facts.json", tmp_path / "verdict.json"
    arguments = ["--host", "--device", "cpu"]
    cli.main([*arguments, "--save-facts", str(facts), "--json", str(verdict)])

    assert [] == faults(json.loads(facts.read_text("utf-8")), "facts")
    assert [] == faults(json.loads(verdict.read_text("utf-8")), "verdict")


def test_this_interpreter_holds_to_the_schemas() -> None:
    """With or without torch."""
    report = api.environment_report(device="cpu")

    assert [] == faults(report.to_dict(), "verdict")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"verdict": "perhaps"}, "$.verdict"),
        ({"schema": 2}, "$.schema"),
        ({"surprise": 1}, "$"),
        ({"findings": [{"id": "gpu.pcie"}]}, "$.findings[0]"),
        ({"facts": {"system": {"cpus": "many"}}}, "$.facts.system"),
        ({"facts": {"system": {"cpus": {"unavailable": ""}}}}, "$.facts.system"),
    ],
)
def test_the_schema_refuses_what_is_wrong(change: dict[str, Any], place: str) -> None:
    """A schema that takes everything would prove nothing."""
    good = api.host_report(facts=load("hosts", "4090d-healthy").facts).to_dict()
    found = faults({**good, **change}, "verdict")

    assert found
    assert all(fault.startswith(f"{place}") for fault in found)


def test_collectors_fill_exactly_the_documented_fields() -> None:
    """A field without a description, or a description without a field, is a fault."""
    host, environment = collect.host(), collect.environment(device="cpu")
    for found in (host, environment):
        for name, section in found.items():
            documented = fields.section(name)
            assert documented is not None
            if documented.kind == fields.RECORD and "unavailable" not in section:
                assert {item.name for item in documented.fields} == set(section)


def test_every_need_of_a_check_is_a_documented_field() -> None:
    """What a check reads can be looked up."""
    for item in registry.load(registry.HOST, registry.ENVIRONMENT):
        for need in item.needs:
            assert _known(need), need


def _known(path: str) -> bool:
    first, *rest = path.split(".")
    section = fields.section(first)
    parts = section.fields if section else ()
    for key in rest:
        here = next((item for item in parts if item.name == key), None)
        if here is None:
            return False
        parts = here.fields
    return section is not None


def test_a_verdict_names_severity_and_source_of_each_check() -> None:
    """Every finding's check is described in the same document."""
    document = api.host_report(facts=load("hosts", "4090d-healthy").facts).to_dict()

    assert [f["id"] for f in document["findings"]] == list(document["checks"])
    assert {c["severity"] for c in document["checks"].values()} <= set(registry.SEVERITIES)
