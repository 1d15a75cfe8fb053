"""Facts read off an environment: fake nvcc scripts, the real torch (CASES 24, 26, 28, 29)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.plan import plan_build
from kernels.toolchain import (
    accepted_archs,
    configured_gcc,
    find_nvcc,
    gather,
    gcc_candidates,
    nvcc_release,
    torch_folder,
)


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def fake_nvcc(home: Path, release: str, dryrun: str = "exit 1") -> Path:
    return script(
        home / "bin" / "nvcc",
        f'case "$1" in --version) echo "Cuda compilation tools, release {release}, V{release}.9";; '
        f"--dryrun) {dryrun};; *) exit 1;; esac",
    )


def fake_gcc(folder: Path, version: str, name: str = "g++") -> Path:
    return script(folder / name, f"echo {version}")


@pytest.mark.parametrize("release", ["11.7", "12.4"])
def test_release_of_nvcc(tmp_path, release):
    """The release is read from what nvcc prints."""
    assert release == nvcc_release(str(fake_nvcc(tmp_path, release)))


def test_nvcc_that_does_not_run_has_no_release(tmp_path):
    """A script that fails, and a path that is not there, give None."""
    assert nvcc_release(str(script(tmp_path / "nvcc", "exit 3"))) is None
    assert nvcc_release(str(tmp_path / "absent")) is None


def test_the_search_for_nvcc_names_what_led_there(tmp_path):
    """CUDA_HOME comes before PATH, and a CUDA_HOME without nvcc is not passed over in silence."""
    nvcc = str(fake_nvcc(tmp_path / "a", "11.7"))
    other = fake_nvcc(tmp_path / "b", "12.4")
    path = str(other.parent)
    home = str(tmp_path / "a")

    assert (nvcc, f"CUDA_HOME={home}") == find_nvcc({"CUDA_HOME": home, "PATH": path})
    assert (str(other), "PATH") == find_nvcc({"PATH": path})
    assert ("", "CUDA_HOME=/none") == find_nvcc({"CUDA_HOME": "/none", "PATH": path})


def test_the_gcc_that_nvcc_is_configured_with_comes_first(tmp_path):
    """Debian's nvcc calls a gcc of its own choice: that one is taken before the default."""
    chosen = fake_gcc(tmp_path / "own", "10.2.1", "g++-10")
    fake_gcc(tmp_path, "12.2.0")
    line = f"echo '#$ \"{tmp_path}/own/gcc-10\" -D__CUDA_ARCH__=520 -E -x c++ x'"
    nvcc = fake_nvcc(tmp_path, "11.2", line)
    found = gcc_candidates(str(nvcc), "11.2", {"PATH": f"{tmp_path}:/bin"})

    assert str(chosen) == configured_gcc(str(nvcc))
    assert [(str(chosen), "10.2.1"), (str(tmp_path / "g++"), "12.2.0")] == [
        (gcc.path, gcc.version) for gcc in found
    ][:2]


def test_versioned_gcc_on_the_path_is_found(tmp_path):
    """An older g++-N beside a default that is too new is a candidate."""
    fake_gcc(tmp_path, "12.2.0")
    fake_gcc(tmp_path, "11.3.0", "g++-11")
    nvcc = fake_nvcc(tmp_path, "11.7")
    found = gcc_candidates(str(nvcc), "11.7", {"PATH": str(tmp_path)})

    assert ["12.2.0", "11.3.0"] == [gcc.version for gcc in found]


def environment(tmp_path, release: str, gcc: str, **more: str) -> dict[str, str]:
    fake_nvcc(tmp_path, release)
    fake_gcc(tmp_path, gcc)
    return {"CUDA_HOME": str(tmp_path), "PATH": f"{tmp_path}:/bin", **more}


def wheel_major(torch) -> str:
    if torch.version.cuda is None:
        pytest.skip("this torch is a CPU build")
    return torch.version.cuda.split(".")[0]


def test_case_26_with_the_real_torch(torch, tmp_path):
    """A toolkit of another major version is refused, with both versions and the variable."""
    other = "12.4" if wheel_major(torch) != "12" else "11.7"
    plan = plan_build(gather(environment(tmp_path, other, "9.4.0")))

    assert not plan.cuda
    assert other in plan.reason
    assert torch.version.cuda in plan.reason
    assert f"CUDA_HOME={tmp_path}" in plan.reason


def test_cases_23_and_24_with_the_real_torch(torch, tmp_path):
    """Lists that 1.13.1 or nvcc 11.7 reject leave no architecture; 8.6+PTX is taken."""
    if wheel_major(torch) != "11":
        pytest.skip("this torch is not of the CUDA 11 generation")
    plans = {
        archs: plan_build(
            gather(environment(tmp_path, "11.7", "10.2.1", TORCH_CUDA_ARCH_LIST=archs))
        )
        for archs in ("8.9", "9.0", "8.6+PTX")
    }

    assert [False, False, True] == [plan.cuda for plan in plans.values()]
    assert "TORCH_CUDA_ARCH_LIST names 8.9" in plans["8.9"].reason
    assert "8.6+PTX" in plans["9.0"].remedy


def test_unset_list_without_a_gpu_takes_the_wheels_own(torch, tmp_path):
    """No list and no visible GPU is no error: the wheel's architectures are taken."""
    if torch.cuda.is_available():
        pytest.skip("a GPU is visible here")
    release = {"11": "11.7", "12": "12.4", "13": "13.0"}[wheel_major(torch)]
    plan = plan_build(gather(environment(tmp_path, release, "9.4.0")))

    assert plan.cuda
    assert "8.6" in [arch.partition("+")[0] for arch in plan.arch_list]
    assert 1 == sum(arch.endswith("+PTX") for arch in plan.arch_list)


def test_torchs_own_architecture_list_is_read(torch):
    """The list in torch's builder is found without importing that module."""
    assert "8.6" in accepted_archs(torch_folder(torch))


def test_no_builder_means_no_list(tmp_path):
    """A torch without the builder's file accepts whatever nvcc targets."""
    assert () == accepted_archs(tmp_path)
