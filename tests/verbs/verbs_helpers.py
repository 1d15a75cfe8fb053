"""Run the front door as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OLD, NEW = "torch113-cuda117", "torch28-cuda124"


def invoke(
    *args: str, cwd: Path = ROOT, before: tuple[str, ...] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """``invoke ARGS`` in a checkout, to its end; ``before`` is put in front of the command."""
    return subprocess.run(
        [*before, sys.executable, "-m", "invoke", *args],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )


def only_report(out: Path) -> dict[str, Any]:
    """The report.json of the one run below a folder."""
    (path,) = out.glob("*/report.json")
    data = json.loads(path.read_text())
    assert isinstance(data, dict)
    return data


def statuses(report: dict[str, Any]) -> dict[tuple[str, str, str], str]:
    """Status by workload, variant and environment."""
    return {
        (row["workload"], row["variant"], name): result["status"]
        for row in report["rows"]
        for name, result in row["results"].items()
    }


def copied_checkout(folder: Path) -> Path:
    """The tracked files in another folder, to be changed freely."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True,
    ).stdout.decode()  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder
