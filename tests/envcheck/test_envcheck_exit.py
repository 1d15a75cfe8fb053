"""The command line's exit status: 0 all well, 1 a check failed, 2 wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envcheck import cli, saved, text
from tests.envcheck.saved_machines import TABLE, load


def facts_of(name: str, folder: Path) -> str:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(saved.document(load("hosts", name).facts, "host")))
    return str(path)


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [
        ("4090d-healthy", ["--profile", "rtx4090d", "--strict"], 0),
        ("4090d-healthy", ["--profile", "rtx4090"], 1),
        ("case52-power-limit", [], 0),
        ("case52-power-limit", ["--strict"], 1),
        ("case10-nouveau", [], 1),
        ("case10-nouveau", ["--device", "cpu"], 1),
        ("cpu-docker", [], 0),
        ("cpu-docker", ["--device", "cuda"], 1),
        ("cpu-docker", ["--profile", "rtx4090d"], 1),
        ("h200", ["--profile", "rtx4090d"], 1),
    ],
)
def test_a_saved_host_gives_its_status(
    name: str, arguments: list[str], status: int, tmp_path: Path
) -> None:
    """The same host under other expectations."""
    given = ["--host", "--facts", facts_of(name, tmp_path), *arguments]

    assert status == cli.main(given, environments=TABLE)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--facts", "/nowhere/at/all.json"],
        ["--host", "--profile", "rtx4091"],
        ["--device", "moon"],
        ["--no-such-option"],
        ["--host", "--json", "-", "--junit", "-"],
        ["--host", "--device", "cpu", "--json", "/proc/self/nothing/here.json"],
        ["--host", "--space-bytes", "much"],
        ["--burn-in", "-5"],
        ["--burn-in", "nan"],
        ["--facts", "x.json", "--burn-in", "5"],
    ],
)
def test_wrong_input_is_2_and_one_paragraph(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing on standard output, no traceback, no page of usage."""
    assert 2 == cli.main(arguments)
    printed = capsys.readouterr()
    assert "" == printed.out
    assert printed.err.startswith("envcheck: ")
    assert 1 == len(printed.err.strip().splitlines())


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe{}", b"[1]", b'{"kind": "envcheck", "schema": 1}',
     b'{"kind": "envcheck-facts", "schema": 2, "scope": "host", "facts": {}}',
     b'{"kind": "envcheck-facts", "schema": 0, "scope": "host", "facts": {}}',
     b'{"kind": "envcheck-facts", "schema": true, "scope": "host", "facts": {}}',
     b'{"kind": "envcheck-facts", "schema": 1, "scope": ["host"], "facts": {}}',
     b'{"kind": "envcheck-facts", "schema": 1, "scope": "host", "facts": []}',
     b'{"kind": "envcheck-facts", "schema": 1, "scope": "host", "facts": {"a": NaN}}',
     b'{"kind": "envcheck-facts", "schema": 1, "scope": "host", "facts": {"a": '
     + b"[" * 900 + b"]" * 900 + b"}}"],
)  # fmt: skip
def test_a_facts_file_that_is_none_is_wrong_input(content: bytes, tmp_path: Path) -> None:
    """Cut off, of another kind, of a newer schema, not strict."""
    path = tmp_path / "facts.json"
    path.write_bytes(content)

    assert 2 == cli.main(["--facts", str(path)])


def test_hostile_texts_reach_the_terminal_as_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Escape sequences and lone surrogates in saved facts change nothing on the screen."""
    machine = load("hosts", "4090d-healthy")
    machine.facts["nvidia"]["devices"][0]["name"] = "NVIDIA \x1b[2J\x07\ud800 Card"
    path = tmp_path / "facts.json"
    path.write_text(json.dumps(saved.document(machine.facts, "host")))

    assert 0 == cli.main(["--facts", str(path), "--json", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "?[2J" in printed


def test_a_document_on_standard_output_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """What a person reads goes to standard error then."""
    cli.main(["--host", "--device", "cpu", "--json", "-"])
    printed = capsys.readouterr()

    assert "envcheck" == json.loads(printed.out)["kind"]
    assert "verdict: " in printed.err


def test_the_list_shows_every_check_with_what_it_looks_at(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line each: id, scope, severity, object."""
    assert 0 == cli.main(["--list"])
    lines = capsys.readouterr().out.splitlines()

    assert any(line.startswith("gpu.xid") and "kernel log" in line for line in lines)
    assert all(len(line.split()) > 3 for line in lines)


def test_the_verdict_counts_every_finding() -> None:
    """Under the findings stands how many have each status."""
    assert text.summary([], "unknown").startswith("verdict: unknown")
