"""Names, presets and the registry: all without torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import workloads
from core.errors import InputError
from workloads import registry
from workloads.base import DEVICES, KINDS, PRESETS

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED_CPU = {("matmul", "fp32"), ("svd", "fp32")}
NEW = """
from workloads.base import Prepared, Preset, Variant, Workload

WORKLOAD = Workload(
    name="brand_new", summary="s", kind="kernel", variants=(Variant("only", "v"),),
    presets={"smoke": Preset({}, {"cpu": 1, "cuda": 1})},
    prepare=lambda request: Prepared(call=int, check=lambda output: [], inputs=()),
)
"""


def test_every_workload_is_whole():
    """Each has every preset on both devices, an estimate for each cell, and a known kind."""
    found = registry.load()

    assert {"matmul", "resnet50", "sigmoid", "svd"} <= set(found)
    for work in found.values():
        assert set(PRESETS) == set(work.presets)
        assert work.kind in KINDS
        for variant in work.variants:
            for preset in PRESETS:
                assert all(work.estimate_s(variant.name, preset, d) > 0 for d in DEVICES)


def test_the_rows_with_a_published_cpu_figure():
    """Only the articles' A1 and A2 state one."""
    marked = {
        (work.name, variant.name)
        for work in registry.load().values()
        for variant in work.variants
        if variant.published_cpu
    }

    assert marked == PUBLISHED_CPU


def test_published_sizes_are_the_articles():
    """4096 with 10 warm-ups and 100 products, 2048, ten million, 64 images of 224."""
    found = registry.load()
    published = {name: work.params("published", "cuda") for name, work in found.items()}

    assert published["matmul"] == {"size": 4096, "article_warmups": 10, "article_calls": 100}
    assert published["svd"]["size"] == 2048
    assert published["sigmoid"]["count"] == 10_000_000
    assert published["resnet50"] == {"batch": 64, "size": 224}


def test_a_new_file_is_a_new_workload(tmp_path, monkeypatch):
    """Dropping a module into the package is enough; no list is edited."""
    (tmp_path / "brand_new_workload.py").write_text(NEW, encoding="utf-8")
    monkeypatch.setattr(workloads, "__path__", [*workloads.__path__, str(tmp_path)])

    assert registry.get("brand_new").variants[0].name == "only"

    sys.modules.pop("workloads.brand_new_workload")


@pytest.mark.parametrize(
    ("ask", "near"),
    [
        (lambda: registry.get("matmull"), "'matmul'"),
        (lambda: registry.get("svd").variant("fp23"), "'fp32'"),
        (lambda: registry.get("svd").params("quik", "cpu"), "'quick'"),
        (lambda: registry.get("svd").request("fp32", "cuba", "smoke"), "'cuda'"),
    ],
)
def test_a_wrong_name_gets_the_nearest_known_one(ask, near):
    """Workloads, variants, presets and devices alike."""
    with pytest.raises(InputError, match=near):
        ask()


def test_importing_the_suite_never_imports_torch():
    """The host side has no torch and lists the names all the same."""
    code = (
        "import sys; from workloads import registry, cli, trial; "
        "print(len(registry.load()) > 3, 'torch' in sys.modules, 'numpy' in sys.modules)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["True", "False", "False"]
