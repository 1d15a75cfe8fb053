"""`invoke envcheck` on the host side: the table, the files, the exit status."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from core.records import Finding
from core.status import CheckStatus
from envcheck import api
from tests.verbs.verbs_helpers import ROOT, invoke
from verbs import check

HEALTHY = ROOT / "tests" / "envcheck" / "hosts" / "4090d-healthy.json"


def test_a_saved_4090d_passes_strictly() -> None:
    """The main sentence of an operator's day, through the front door."""
    done = invoke(
        "envcheck", "--facts", str(HEALTHY), "--profile", "rtx4090d", "--strict", DOCKER_HOST=""
    )

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "verdict: pass" in done.stdout
    assert "Driver against each" in done.stdout


def test_the_files_are_written(tmp_path: Path) -> None:
    """--json, --junit and --save-facts of one judgement."""
    names = {option: str(tmp_path / option) for option in ("json", "junit", "save-facts")}
    done = invoke("envcheck", "--facts", str(HEALTHY), *(f"--{k}={v}" for k, v in names.items()))

    assert 0 == done.returncode, done.stderr
    assert "pass" == json.loads(Path(names["json"]).read_text())["verdict"]
    assert "testsuites" == ET.parse(names["junit"]).getroot().tag
    assert "host" == json.loads(Path(names["save-facts"]).read_text())["scope"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--profile", "rtx4091"),
        ("--facts", "/nowhere/at/all.json"),
        ("--device", "moon"),
        ("--facts", str(HEALTHY), "--env", "torch28-cuda124"),
        ("--env", "torch99-cuda1"),
        ("--json", "-", "--junit", "-"),
    ],
)
def test_wrong_input_is_2_in_one_paragraph(arguments: tuple[str, ...]) -> None:
    """Whoever finds it, envcheck or the front door."""
    done = invoke("envcheck", *arguments)

    assert 2 == done.returncode
    assert "" == done.stdout
    assert 1 == len(done.stderr.strip().splitlines())


def test_the_list_is_a_flag_of_the_verb() -> None:
    """Invoke's own --list comes before the verb."""
    done = invoke("envcheck", "--list")

    assert 0 == done.returncode
    assert "gpu.pcie" in done.stdout


def shown(*findings: Finding) -> str:
    stream = io.StringIO()
    check.show(api.Report("host", {}, findings), "fail", stream)
    return stream.getvalue()


def test_the_table_holds_findings_and_not_markup() -> None:
    """Brackets are texts, escape sequences are not sent."""
    text = shown(
        Finding("gpu.x", "Card", CheckStatus.FAIL, "[bold]a\x1b[2J[/]", "b", "Why.", "Do [this].")
    )

    assert "[bold]a?[2J[/]" in text
    assert "Remedy: Do [this]." in text
    assert "\x1b" not in text


def test_what_was_not_judged_stands_below_the_table() -> None:
    """Once for every reason, with the ids that share it."""
    skip = CheckStatus.SKIP
    text = shown(
        Finding("gpu.a", "A", skip, "not checked", "", "no GPU"),
        Finding("gpu.b", "B", skip, "not checked", "", "no GPU"),
    )

    assert "skip  gpu.a, gpu.b: no GPU" in text


@pytest.mark.environments
def test_an_environment_is_judged_from_the_host_side(
    tmp_path: Path, real_environments: object
) -> None:
    """Through the venv engine: the files lie on this side, one for each environment."""
    del real_environments
    names = ["torch113-cuda117", "torch28-cuda124"]
    done = invoke(
        "envcheck", "--engine", "venv", "--device", "cpu",
        *(f"--env={name}" for name in names), "--json", str(tmp_path / "check.json"),
    )  # fmt: skip

    assert 0 == done.returncode, done.stdout + done.stderr
    for name in names:
        data = json.loads((tmp_path / f"check.{name}.json").read_text())
        assert "environment" == data["scope"]
        assert name in done.stdout
