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
    found = [built.python for built in real_environments.values()]
    return next(p for p in found if run(p, "-c", VERSION).stdout.startswith(torch))


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
