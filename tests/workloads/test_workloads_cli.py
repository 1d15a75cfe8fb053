"""The command line in fresh processes, in whichever torch runs these tests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]


def command(*arguments):
    """``python -m workloads`` in a fresh process."""
    return subprocess.run(
        [sys.executable, "-m", "workloads", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


NOISE = """
import ctypes, sys
from workloads import matmul
right = matmul.product
def loud(left, other):
    print("from Python"); ctypes.CDLL(None).puts(b"from C"); return right(left, other)
matmul.product = loud
from workloads.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_nothing_but_json_reaches_standard_output():
    """A workload that prints from Python and from C spoils nothing."""
    options = ["--trial", "--workload", "matmul", "--variant", "fp32", "--device", "cpu"]

    done = subprocess.run(
        [sys.executable, "-c", NOISE, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(done.stdout)["status"] == "ok"
    assert "from Python" in done.stderr
    assert "from C" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--trial", "--workload", "matmul", "--variant", "fp23"], "'fp32'"),
        (["--trial", "--workload", "matmull", "--variant", "fp32"], "'matmul'"),
        (["--trial", "--workload", "matmul"], "--variant exactly once"),
        (["--preset", "quik", "--device", "cpu"], "'quick'"),
        (["--workload", "svdd", "--device", "cpu"], "'svd'"),
        (["--threads", "0", "--device", "cpu"], "--threads is 0"),
    ],
)
def test_wrong_input_exits_2_with_one_line(arguments, says):
    """No traceback, and the nearest known name."""
    done = command(*arguments)

    assert (2, "") == (done.returncode, done.stdout)
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_listing_as_json_says_what_runs_here():
    """Every variant carries a status, and a reason where it is not ok."""
    data = json.loads(command("--list", "--json", "--device", "cpu").stdout)

    rows = [variant["here"] for work in data["workloads"] for variant in work["variants"]]
    assert len(rows) >= 8
    assert all(row["reason"] for row in rows if row["status"] != "ok")


def test_running_here_prints_a_row_per_cell_and_exits_0():
    """The human run uses a fresh process per trial and a plain table."""
    done = command("--workload", "sigmoid", "--variant", "builtin", "--device", "cpu")

    assert done.returncode == 0
    assert done.stdout.splitlines()[2].split()[:3] == ["sigmoid", "builtin", "ok"]
