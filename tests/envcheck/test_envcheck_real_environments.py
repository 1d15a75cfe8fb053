"""The command line inside the two real torch environments."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping

import pytest

if TYPE_CHECKING:
    from engines.venv_build import Built

ROOT = Path(__file__).resolve().parents[2]
VERSION = "import importlib.metadata as m; print(m.version('torch'))"
COMMON = {"schema": 1, "title": "", "base": "", "arch_list": [], "lock_hash": "", "engine": "venv"}
EXPECTED: dict[str, dict[str, Any]] = {
    "1.13.1": {"wheel_cuda": "11.7", "torchvision": "0.14.1", "torchaudio": None},
    "2.8.0": {"wheel_cuda": "12.8", "torchvision": "0.23.0", "torchaudio": "2.8.0"},
}

pytestmark = [pytest.mark.environments, pytest.mark.parametrize("torch", list(EXPECTED))]


def run(python: Path, *args: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    return subprocess.run(
        [str(python), *args],
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def python(torch: str, real_environments: Mapping[str, Built]) -> Path:
    """The interpreter whose torch has this version."""
    return next(b.python for b in real_environments.values() if has(b.python, torch))


def has(python: Path, version: str) -> bool:
    return run(python, "-c", VERSION).stdout.startswith(version)


def described(folder: Path, version: str, **changes: Any) -> str:
    data = {
        **COMMON, "name": "test", "torch": version, "lock": {"torch": version},
        **EXPECTED[version], **changes,
    }  # fmt: skip
    path = folder / "environment.json"
    path.write_text(json.dumps(data))
    return str(path)


def test_a_matching_environment_passes(python: Path, torch: str, tmp_path: Path) -> None:
    """Exit status 0; torch, NumPy, nms and a real operation were judged."""
    report = tmp_path / "report.json"
    done = run(
        python, "-m", "envcheck", "--device", "cpu", "--json", str(report),
        TORCHRIG_ENVIRONMENT=described(tmp_path, torch),
    )  # fmt: skip

    assert (0, "") == (done.returncode, done.stderr)
    found = {f["id"]: f["status"] for f in json.loads(report.read_text())["findings"]}
    for name in ("version", "cuda", "cudnn", "numpy", "nms", "operation", "pairing"):
        assert found[f"torch.{name}"] == "pass"
    assert found["library.shadowing"] == "pass"


def test_another_torch_than_asked_for_fails(python: Path, torch: str, tmp_path: Path) -> None:
    """Exit status 1, both versions and the remedy."""
    named = described(tmp_path, torch, torch="2.7.1", lock={})
    done = run(python, "-m", "envcheck", "--device", "cpu", TORCHRIG_ENVIRONMENT=named)

    assert done.returncode == 1
    assert torch in done.stdout
    assert "Expected: 2.7.1." in done.stdout
    assert "invoke build --env test" in done.stdout


def test_case_31_numpy_2_under_each_torch(
    python: Path, torch: str, real_environments: Mapping[str, Built], tmp_path: Path
) -> None:
    """The newer environment's NumPy put before each: 1.13.1 cannot convert, 2.8.0 can."""
    newer = next(b.python for b in real_environments.values() if has(b.python, "2.8.0"))
    where = run(
        newer, "-c", "import numpy, pathlib; print(pathlib.Path(numpy.__file__).parents[1])"
    )
    for item in Path(where.stdout.strip()).glob("numpy*"):
        (tmp_path / item.name).symlink_to(item)
    report = tmp_path / "report.json"
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    run(python, "-m", "envcheck", "--device", "cpu", "--json", str(report), PYTHONPATH=path)
    found = {f["id"]: f for f in json.loads(report.read_text())["findings"]}

    assert ("fail" if torch == "1.13.1" else "pass") == found["torch.numpy"]["status"]
    if torch == "1.13.1":
        assert "numpy<2" in found["torch.numpy"]["remedy"]


def test_a_verdict_comes_from_inside_in_its_schema(
    python: Path, torch: str, tmp_path: Path
) -> None:
    """What an environment writes holds to the documented schemas, checked on the host side."""
    jsonschema = pytest.importorskip("jsonschema")
    report, facts = tmp_path / "report.json", tmp_path / "facts.json"
    files = ["--json", str(report), "--save-facts", str(facts)]
    named = described(tmp_path, torch)
    run(python, "-m", "envcheck", "--device", "cpu", *files, TORCHRIG_ENVIRONMENT=named)

    for path, name in ((report, "verdict"), (facts, "facts")):
        schema = json.loads((ROOT / f"docs/schemas/envcheck-{name}.schema.json").read_text())
        checked = jsonschema.Draft202012Validator(schema)
        assert [] == [error.message for error in checked.iter_errors(json.loads(path.read_text()))]
