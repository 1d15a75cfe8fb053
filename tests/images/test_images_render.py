"""One template gives every Dockerfile, and what is committed is what it gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from images.config import load_table
from images.paths import DOCKERFILE
from images.render import BUILDERS, render, rendered_files, stale_rendered, write_rendered

GOLDEN = Path(__file__).parent / "golden"
TABLE = load_table()
CASES = [(name, builder) for name in TABLE.names for builder in BUILDERS]


@pytest.mark.parametrize(("name", "builder"), CASES)
def test_a_dockerfile_is_the_one_reviewed(name: str, builder: str):
    """A change of the template shows in golden/, where it is read."""
    expected = (GOLDEN / f"{name}.{builder}.Dockerfile").read_text(encoding="utf-8")

    assert expected == render(TABLE.get(name), builder)


def test_the_committed_files_are_not_stale():
    """The top-level Dockerfile and the descriptions follow the table; else `invoke render`."""
    files = rendered_files(TABLE)

    assert DOCKERFILE in files
    assert [] == stale_rendered(files)


def test_rendering_writes_only_what_differs(tmp_path: Path):
    """A second time there is nothing to do, and a hand edit is found."""
    files = {tmp_path / "Dockerfile": "a\n", tmp_path / "b" / "c.json": "{}\n"}
    assert list(files) == write_rendered(files)

    (tmp_path / "Dockerfile").write_text("edited\n", encoding="utf-8")
    assert [tmp_path / "Dockerfile"] == stale_rendered(files) == write_rendered(files)
    assert [] == write_rendered(files)


@pytest.mark.parametrize(("name", "builder"), CASES)
def test_no_dockerfile_weakens_what_it_installs(name: str, builder: str):
    """Verification stays on, hashes are required, no remote frontend is pulled."""
    text = render(TABLE.get(name), builder)

    for word in ("trusted-host", "insecure", "allow-unauthenticated", "# syntax", "no-verify"):
        assert word not in text
    assert "LD_LIBRARY_PATH" not in text
    assert 2 == text.count("--require-hashes")
    assert ["FROM ${REGISTRY}${BASE_IMAGE}"] == re.findall(r"^FROM.*", text, re.MULTILINE)


@pytest.mark.parametrize("name", TABLE.names)
def test_the_classic_builder_gets_no_mounts(name: str):
    """And takes the CA as a file, where BuildKit takes a secret."""
    environment = TABLE.get(name)

    assert "--mount" not in render(environment, "classic")
    assert "COPY images/ca.pem" in render(environment, "classic")
    assert "COPY images/ca.pem" not in render(environment, "buildkit")
    assert 2 == render(environment, "buildkit").count("--mount=type=secret,id=ca")


@pytest.mark.parametrize(("name", "builder"), CASES)
def test_what_changes_most_comes_last(name: str, builder: str):
    """An edit in workloads/ must invalidate neither torch nor the kernels."""
    text = render(TABLE.get(name), builder)
    order = [
        text.index(step)
        for step in (
            "apt", "uv pip sync", "COPY core", "COPY kernels", "-m kernels build",
            "COPY envcheck", "COPY workloads", "ARG INPUT_HASH",
        )
    ]  # fmt: skip

    assert sorted(order) == order


def test_each_environment_has_its_own_architectures():
    """PyTorch 1.13.1 with nvcc 11.7 rejects what the newer pair takes."""
    assert 'TORCH_CUDA_ARCH_LIST="7.0 7.5 8.0 8.6+PTX"' in render(TABLE.get("torch113-cuda117"))
    assert 'TORCH_CUDA_ARCH_LIST="7.0 7.5 8.0 8.6 8.9 9.0+PTX"' in render(
        TABLE.get("torch28-cuda124")
    )
