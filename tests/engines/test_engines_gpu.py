"""Why no GPU reaches a container: one remedy for each cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import EngineError
from engines.client import connect
from engines.gpu import (
    GpuAccess,
    GpuHost,
    describes_gpu,
    device_requests,
    explain_gpu,
    listed_gpus,
    look,
    prove_gpu,
    require_gpu_path,
)

REFUSAL = 'could not select device driver "" with capabilities: [[gpu]]'


def remedy(host: GpuHost, text: str = REFUSAL) -> str:
    """The remedy for a host whose engine refused."""
    return explain_gpu(host, {"runtime": text}).remedy


def test_the_same_refusal_has_a_remedy_for_each_cause() -> None:
    """No GPU, snap, no toolkit and an unregistered toolkit are told apart (case 1)."""
    told = [
        remedy(GpuHost(gpu=False, toolkit=False, registered=False, snap=False)),
        remedy(GpuHost(gpu=True, toolkit=True, registered=True, snap=True)),
        remedy(GpuHost(gpu=True, toolkit=False, registered=False, snap=False)),
        remedy(GpuHost(gpu=True, toolkit=True, registered=False, snap=False)),
        remedy(GpuHost(gpu=True, toolkit=True, registered=True, snap=False)),
    ]
    words = ["--device cpu", "snap remove", "Install the package", "runtime configure", "cdi gen"]

    assert [True] * 5 == [word in text for word, text in zip(words, told, strict=True)]
    assert 5 == len(set(told))


def test_old_driver_is_not_blamed_on_the_toolkit() -> None:
    """A driver below the image's demand is named as that (case 5)."""
    text = "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8"
    host = GpuHost(gpu=True, toolkit=True, registered=True, snap=False)

    assert "Update the NVIDIA driver" in remedy(host, text)


def test_remote_engine_is_not_judged_by_this_machine() -> None:
    """Where the engine is elsewhere, this machine's missing GPU is no cause."""
    host = GpuHost(gpu=None, toolkit=False, registered=True, snap=False)

    assert "--device cpu" not in remedy(host)


def test_cdi_folder_counts_only_with_a_specification_in_it(tmp_path: Path) -> None:
    """Newer engines name CDI folders also where nobody put a GPU's description."""
    (tmp_path / "other.yaml").write_text("kind: vendor.com/net\n")
    before = describes_gpu([str(tmp_path), "/nowhere"])
    (tmp_path / "nvidia.yaml").write_text("cdiVersion: 0.6.0\nkind: nvidia.com/gpu\n")

    assert (False, True) == (before, describes_gpu([str(tmp_path)]))


def test_only_lines_that_name_a_gpu_count() -> None:
    """A warning of nvidia-smi is no GPU."""
    text = "WARNING: infoROM is corrupted\nGPU 0: NVIDIA GeForce RTX 4090 D (UUID: GPU-1)\n"

    assert ("GPU 0: NVIDIA GeForce RTX 4090 D (UUID: GPU-1)",) == listed_gpus(text)


def test_requests_have_the_shape_that_the_engine_documents() -> None:
    """CDI asks by device name, the runtime by capability, the CPU for nothing."""
    cdi = device_requests(GpuAccess("cdi"))[0]
    runtime = device_requests(GpuAccess("runtime"))[0]

    assert ("cdi", ["nvidia.com/gpu=all"]) == (cdi["Driver"], cdi["DeviceIDs"])
    assert (-1, [["gpu"]]) == (runtime["Count"], runtime["Capabilities"])
    assert [] == device_requests(None)


@pytest.mark.docker
def test_real_engine_without_gpu_is_told_with_its_cause(local_base: str) -> None:
    """On a machine without a GPU the probe says so and leaves no container."""
    client = connect()
    try:
        if look(client).gpu is not False:
            pytest.skip("this machine has an NVIDIA GPU")
        with pytest.raises(EngineError, match="--device cpu"):
            require_gpu_path(client)
        with pytest.raises(EngineError) as caught:
            prove_gpu(client, local_base)
        left = [
            c
            for c in client.containers.list(all=True)
            if c.labels.get("io.torchrig.run") == "probe"
        ]
    finally:
        client.close()

    assert "10de" in caught.value.why
    assert [] == left


@pytest.mark.docker
@pytest.mark.gpu
def test_real_gpu_is_seen_in_a_container(local_base: str) -> None:
    """With a GPU, one way is proved and lists it."""
    client = connect()
    try:
        access = prove_gpu(client, local_base)
    finally:
        client.close()

    assert access.seen


def test_a_described_gpu_and_an_engine_without_init_are_told_apart() -> None:
    """Seen on an H200 host whose CDI description was written by hand: no toolkit is needed."""
    host = GpuHost(gpu=True, toolkit=False, registered=True, snap=False)
    said = 'exec: "docker-init": executable file not found in $PATH'
    without_init = explain_gpu(host, {"cdi": said, "runtime": said})
    unseen = explain_gpu(host, {"cdi": "no device found"})

    assert "docker-init" in without_init.why
    assert "tini" in without_init.remedy
    assert "nvidia-container-toolkit" not in without_init.remedy + unseen.remedy
