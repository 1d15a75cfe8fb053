"""The main job as a user runs it, on real engines with both real torch versions."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from verbs_helpers import NEW, OLD, ROOT, invoke, only_report, statuses

from engines.client import connect

WORKLOADS = {"matmul", "svd", "sigmoid", "resnet50"}


def our_containers() -> list[str]:
    with closing(connect()) as client:
        found = client.containers.list(all=True, filters={"label": "io.torchrig"})
    return [str(container.name) for container in found]


def building_tags() -> list[str]:
    with closing(connect()) as client:
        return [tag for image in client.images.list() for tag in image.tags if "building-" in tag]


def assert_whole(report: dict[str, Any], *, engine: str) -> None:
    """Both versions measured, and what 1.13.1 cannot do said so."""
    found = statuses(report)

    assert engine == report["run"]["engine"]
    assert {OLD, NEW} == {part["name"] for part in report["environments"]}
    assert WORKLOADS == {workload for workload, _, _ in found}
    assert "unsupported" == found["sigmoid", "compiled", OLD]
    others = {key: status for key, status in found.items() if key != ("sigmoid", "compiled", OLD)}
    assert {"ok"} == set(others.values()), others


@pytest.mark.docker
def test_both_images_are_built_proven_and_measured(local_base: str, tmp_path: Path) -> None:
    """`invoke build --base LOCAL run-all --preset smoke`: one report, nothing left behind."""
    out = tmp_path / "runs"
    done = invoke("build", "--base", local_base, "run-all", "--preset", "smoke", "--out", str(out))

    assert 0 == done.returncode, done.stderr[-4000:] + done.stdout[-4000:]
    assert "Engine docker on the CPU" in done.stderr
    assert_whole(only_report(out), engine="docker")
    assert [] == our_containers()
    assert [] == building_tags()


@pytest.mark.environments
def test_the_venv_engine_measures_both_versions(tmp_path: Path, real_environments: object) -> None:
    """`invoke build --engine venv run-all`: the same report without Docker."""
    del real_environments
    out = tmp_path / "runs"
    done = invoke(
        "build", "--engine", "venv", "--device", "cpu",
        "run-all", "--preset", "smoke", "--out", str(out),
    )  # fmt: skip

    assert 0 == done.returncode, done.stderr[-4000:] + done.stdout[-4000:]
    assert "Engine venv on the CPU: asked for with --engine." in done.stderr
    assert_whole(only_report(out), engine="venv")


@pytest.mark.docker
def test_ctrl_c_leaves_a_report_and_no_container_and_resume_goes_on(
    local_base: str, tmp_path: Path
) -> None:
    """SIGINT in the middle: exit 130, trials so far reported; --resume plays only the rest."""
    out = tmp_path / "runs"
    invoke("build", "--base", local_base)
    process = subprocess.Popen(
        [
            sys.executable, "-m", "invoke", "run-all", "--preset", "smoke", "--seed", "7",
            "--workload", "matmul", "--workload", "svd", "--out", str(out),
        ],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr
    for line in process.stderr:
        if line.startswith("[1/4]"):
            process.send_signal(signal.SIGINT)
            break
    _, rest = process.communicate(timeout=120)
    (run,) = out.iterdir()
    played = {path.name: path.stat().st_mtime_ns for path in (run / "trials").iterdir()}

    assert 130 == process.returncode, rest
    assert f"invoke run-all --resume {run}" in rest
    assert [] == our_containers()
    assert 1 <= len(played) < 4
    assert "missing" in set(statuses(only_report(out)).values())

    resumed = invoke("run-all", "--resume", str(run))
    after = {path.name: path.stat().st_mtime_ns for path in (run / "trials").iterdir()}

    assert 0 == resumed.returncode, resumed.stderr
    assert 4 == len(after)
    assert played == {name: after[name] for name in played}
    assert {"ok"} == set(statuses(only_report(out)).values())


@pytest.mark.docker
def test_a_second_build_does_nothing(local_base: str) -> None:
    """Nothing changed: no builder is started and the image keeps its id."""
    invoke("build", "--base", local_base)
    done = invoke("build", "--base", local_base)

    assert 0 == done.returncode
    assert 2 == done.stderr.count("is up to date")
    assert "building with" not in done.stderr


@pytest.mark.docker
def test_the_suite_lists_itself_in_both_images(local_base: str) -> None:
    """`python -m workloads --list` inside: what this version cannot do says so, with the reason."""
    invoke("build", "--base", local_base)
    listed = {}
    for name in (OLD, NEW):
        command = ["docker", "run", "--rm", "--network", "none", f"torchrig/{name}:latest"]
        command += ["python", "-m", "workloads", "--list"]
        listed[name] = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    pattern = r"sigmoid\s+compiled\s+unsupported\s.*no torch\.compile"

    assert re.search(pattern, listed[OLD])
    assert not re.search(pattern, listed[NEW])


@pytest.mark.docker
@pytest.mark.parametrize(
    ("name", "suite", "targets"),
    [(OLD, "bullseye-cuda", {"8.6+PTX"}), (NEW, "trixie-cuda", {"8.6", "8.9", "9.0+PTX"})],
)
def test_the_cuda_sources_compile_and_link_against_both_wheels(
    name: str, suite: str, targets: set[str]
) -> None:
    """CUDA 11.2 against 1.13.1 and 12.4 against 2.8.0, without a GPU, inside real images."""
    base = f"torchrig/base:{suite}"
    with closing(connect()) as client:
        if not client.images.list(name=base):
            reason = f"no {base}: `invoke base --suite {suite.removesuffix('-cuda')} --cuda`"
            if os.environ.get("CI") == "true":
                pytest.fail(reason)
            pytest.skip(reason)
    done = invoke("build", "--base", base, "--env", name)
    assert 0 == done.returncode, done.stderr[-4000:]
    shown = subprocess.run(
        ["docker", "run", "--rm", "--network", "none", f"torchrig/{name}:latest",
         "sh", "-c", "cat /opt/torchrig/kernels/_build/*/build.json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    record = json.loads(shown.stdout)

    assert record["cuda"] is True
    assert targets <= set(record["arch_list"])
