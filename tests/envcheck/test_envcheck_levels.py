"""Versions, architectures and error texts are told apart."""

from __future__ import annotations

import pytest

from envcheck import cuda_levels, texts
from envcheck.checks.torch import cudnn_version

OLD = ["sm_37", "sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86"]


@pytest.mark.parametrize(
    ("card", "listed", "entry"),
    [
        ("8.9", OLD, "sm_86"),
        ("8.9", OLD[:4], ""),
        ("9.0", OLD, ""),
        ("8.9", ["sm_90"], ""),
        ("8.0", ["sm_86"], ""),
        ("9.0", ["sm_80", "compute_80"], "compute_80"),
        ("12.0", ["sm_100", "sm_120"], "sm_120"),
        ("9.0", ["sm_90a"], "sm_90"),
    ],
)
def test_a_card_is_served_by_its_own_major_or_by_ptx(
    card: str, listed: list[str], entry: str
) -> None:
    """Same major and not newer, else PTX of any older version."""
    assert entry == cuda_levels.runs_on(card, listed)


def test_minor_version_compatibility_has_its_floors() -> None:
    """A 12.x runs from 525.60.13 on, an 11.x from 450.80.02, a 13.x from 580."""
    assert cuda_levels.runs_by_minor_version("525.60.13", "12.8")
    assert not cuda_levels.runs_by_minor_version("525.60.12", "12.8")
    assert cuda_levels.runs_by_minor_version("450.80.02", "11.7")
    assert not cuda_levels.runs_by_minor_version("570.124.06", "13.0")


@pytest.mark.parametrize(
    ("cuda", "newest"),
    [("11.2", 10), ("11.7.99", 11), ("11.8", 11), ("12.4.131", 13), ("12.8", 14)],
)
def test_nvcc_names_its_newest_gcc(cuda: str, newest: int) -> None:
    """Bounds of the CUDA installation guide."""
    assert newest == cuda_levels.newest_gcc(cuda)


def test_nvcc_of_117_knows_neither_89_nor_90() -> None:
    """PTX marks do not matter to the compiler's knowledge."""
    assert ["8.9", "9.0+PTX"] == cuda_levels.unknown_to_nvcc(["8.6", "8.9", "9.0+PTX"], "11.7")


@pytest.mark.parametrize(
    ("number", "version"), [(8500, "8.5.0"), (8905, "8.9.5"), (91002, "9.10.2")]
)
def test_cudnn_numbers_are_decoded(number: int, version: str) -> None:
    """Four digits up to cuDNN 8, five from 9 on."""
    assert version == cudnn_version(number)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Failed to initialize NVML: Driver/library version mismatch", "half-updated driver"),
        ("Error 802: system not yet initialized", "fabric manager"),
        ("Error 803: system has unsupported display driver / cuda driver combination",
         "two driver libraries"),
        ("Error 804: forward compatibility was attempted on non supported HW",
         "forward compatibility"),
        ("The NVIDIA driver on your system is too old (found version 11040)", "driver too old"),
        ("requirement error: unsatisfied condition: cuda>=12.8, please update your driver",
         "image needs newer driver"),
        ("Error 500: named symbol not found", "blocked by WSL"),
        ("libcublas.so.11: undefined symbol: cublasLtGetStatusString, version libcublasLt.so.11",
         "library shadowing"),
        ("flash_attn_2_cuda.so: undefined symbol: _ZN3c105ErrorC2E", "add-on for another torch"),
        ("RuntimeError: Numpy is not available", "no NumPy bridge"),
        ("AttributeError: _ARRAY_API not found", "no NumPy bridge"),
        ("#error -- unsupported GNU version! gcc versions later than 12 are not supported!",
         "host compiler too new"),
        ("#error -- unsupported GNU version! gcc versions later than 10 are not supported!",
         "host compiler too new"),
        ("nvcc fatal   : Unsupported gpu architecture 'compute_89'",
         "compiler older than the card"),
        ("ValueError: Unknown CUDA arch (8.9) or GPU not supported",
         "compiler older than the card"),
        ("DataLoader worker (pid 7) is killed by signal: Bus error", "shared memory"),
        ("ModuleNotFoundError: No module named 'torch'", "no torch"),
        ("RuntimeError: Failed to find C compiler. Please specify via CC environment variable.",
         "no C compiler"),
        ("/tmp/x/main.c:1:10: fatal error: cuda.h: No such file or directory", "no CUDA headers"),
        ("fatal error: Python.h: No such file or directory", "no Python headers"),
        ("AssertionError: libcuda.so cannot found!", "libcuda not found"),
        ("/usr/bin/ld: cannot find -lcuda: No such file or directory", "libcuda not found"),
        ("GPU access blocked by the operating system", "blocked by WSL"),
        ("everything is fine", "unknown"),
    ],
)  # fmt: skip
def test_an_error_text_names_its_cause(text: str, name: str) -> None:
    """Wording decides; numbers in it vary."""
    assert name == texts.classify(text).name


@pytest.mark.parametrize(("number", "level"), [(11040, "11.4"), (11060, "11.6"), (12020, "12.2")])
def test_the_found_version_is_a_cuda_level(number: int, level: str) -> None:
    """The number is CUDA's encoding and no driver version."""
    assert level == texts.found_version(f"is too old (found version {number}).")
