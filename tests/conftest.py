"""What every test shares: the checkout on the import path, and what CI may not skip.

A test marked ``docker`` needs a Docker engine and a local base image (``$TORCHRIG_TEST_BASE``,
or one that ``invoke base`` made). A test marked ``gpu`` needs an NVIDIA GPU. Where they are absent
the test is skipped with the reason, except in CI (``CI=true``): there an absent engine fails.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Mapping

import pytest

if TYPE_CHECKING:
    from engines.venv_build import Built

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background by a shell: what tests start must be able to be interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)
IN_CI = os.environ.get("CI") == "true"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--bench`` runs the benchmarks of the tool itself, which never decide a test."""
    parser.addoption("--bench", action="store_true", help="run tests/bench")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Benchmarks are collected only when asked for."""
    is_bench = collection_path == ROOT / "tests" / "bench"
    return True if is_bench and not config.getoption("--bench") else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what this machine cannot run; in CI only a GPU may be absent."""
    if item.get_closest_marker("gpu") and not Path("/dev/nvidiactl").exists():
        pytest.skip("no NVIDIA GPU on this machine")
    if item.get_closest_marker("docker"):
        _need_engine()


def _need_engine() -> None:
    from engines.client import probe

    facts = probe()
    if facts.status != "ok":
        _absent(f"no usable Docker engine: {facts.status}: {facts.detail}")


def _absent(reason: str) -> None:
    if IN_CI:
        pytest.fail(f"CI may not skip this: {reason}")
    pytest.skip(reason)


@pytest.fixture
def absent() -> Callable[[str], None]:
    """Say that something is not on this machine: a skip with its reason, in CI a failure."""
    return _absent


@pytest.fixture(scope="session")
def local_base() -> str:
    """Name of a local base image with Python, a compiler and no network needed."""
    from engines.client import connect
    from images.baseimage import local_id

    names = [
        os.environ.get("TORCHRIG_TEST_BASE", ""),
        "torchrig/base:bullseye-cuda",
        "torchrig/base:bullseye",
    ]
    with closing(connect()) as client:
        for name in filter(None, names):
            if local_id(client, name) is not None:
                return name
    _absent("no local base image: make one with `invoke base --suite bullseye --cuda`")
    raise AssertionError("unreachable")


@pytest.fixture(scope="session")
def real_environments() -> Mapping[str, Built]:
    """Both default environments of the table, made by the venv engine: the real torch versions."""
    from engines.venv import VenvEngine
    from images.config import load_table
    from verbs.environments import chosen, targets

    engine = VenvEngine()
    rows = chosen(load_table(), [])
    return {name: engine.prepare(target) for name, target in targets(rows, "venv").items()}
