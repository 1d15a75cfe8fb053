"""The rooms that travel, tested inside each real torch environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Mapping

import pytest

from core.hashing import text_hash

if TYPE_CHECKING:
    from engines.venv_build import Built

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "requirements" / "inside.txt"
TRAVELLERS = ("core", "envcheck", "kernels", "workloads")
LIMIT_S = 1500


@pytest.mark.environments
@pytest.mark.parametrize("room", TRAVELLERS)
@pytest.mark.parametrize("environment", ["torch113-cuda117", "torch28-cuda124"])
def test_a_room_holds_inside_an_environment(
    room: str, environment: str, real_environments: Mapping[str, Built]
) -> None:
    """The same tests as on the host side, run by the environment's Python with its torch."""
    built = real_environments[environment]
    done = _pytest(built, tools_beside(built.python), f"tests/{room}")
    print(done.stdout[-3000:])
    passed = re.search(r"(\d+) passed", done.stdout)

    assert 0 == done.returncode, done.stdout[-6000:] + done.stderr[-2000:]
    assert passed
    assert int(passed.group(1)) > 5


def tools_beside(python: Path) -> Path:
    """Pytest beside the environment, so that what is tested stays what is measured."""
    key = text_hash(TOOLS.read_text(encoding="utf-8"))[:12]
    folder = ROOT / ".torchrig" / "inside" / f"{python.parent.parent.name}-{key}"
    if not (folder / "pytest").is_dir():
        command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--require-hashes"]
        target = ["--python", str(python), "--target", str(folder), "-r", str(TOOLS)]
        subprocess.run([*command, *target], check=True)
    return folder


def _pytest(built: Built, tools: Path, tests: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(built.python.parent), os.environ["PATH"]])
    kernels = {"TORCHRIG_KERNELS": str(built.kernels)} if built.kernels else {}
    return subprocess.run(
        [
            str(built.python), "-m", "pytest", tests, "-q", "-p", "no:cacheprovider",
            "-m", "not environments and not docker",
        ],
        cwd=ROOT,
        env={**os.environ, **kernels, "PATH": path, "PYTHONPATH": f"{ROOT}{os.pathsep}{tools}"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )  # fmt: skip
