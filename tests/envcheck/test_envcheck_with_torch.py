"""Cases replayed with the torch of this interpreter: run inside both environments.

A fault is planted round the real torch (a fake toolkit, a hidden module, a broken add-on) and the
judgement is held against what torch itself does.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="this interpreter has no torch"
)
BOUNDS = """
import warnings
warnings.simplefilter("ignore")
import sys, torch.utils.cpp_extension as c
from torch.torch_version import TorchVersion
c.CUDA_HOME = sys.argv[1]
try:
    c._check_cuda_version("g++", TorchVersion(sys.argv[2]))
except RuntimeError as error:
    print("refused:", str(error).strip().splitlines()[0])
"""
HIDE = """
import sys
from importlib.machinery import PathFinder
class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        hidden = name.partition(".")[0] == "pkg_resources"
        return None if hidden else PathFinder.find_spec(name, path, target)
sys.meta_path[:] = [Without if item is PathFinder else item for item in sys.meta_path]
"""


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def toolkit(folder: Path, release: str) -> str:
    script(
        folder / "bin" / "nvcc", f"echo 'Cuda compilation tools, release {release}, V{release}.99'"
    )
    return str(folder)


def judged(*arguments: str, before: str = "", **variables: str) -> dict[str, Any]:
    """Findings by id, of envcheck in a fresh process of this interpreter."""
    path = os.pathsep.join(part for part in (before, str(ROOT), *sys.path[1:]) if part)
    plain = {k: v for k, v in os.environ.items() if k not in ("TORCHRIG_ENVIRONMENT", "CUDA_HOME")}
    done = subprocess.run(
        [sys.executable, "-m", "envcheck", "--device", "cpu", *arguments, "--json", "-"],
        env={**plain, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return {item["id"]: item for item in json.loads(done.stdout)["findings"]}


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    """Findings on this interpreter as it is."""
    return judged()


def torch_says(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BOUNDS, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout.strip()


def wheel() -> str:
    import torch

    if torch.version.cuda is None:
        pytest.skip("this torch is a CPU build")
    return str(torch.version.cuda)


def is_old() -> bool:
    import torch

    return not hasattr(torch, "compile")


@pytest.mark.parametrize("listed", ["8.9", "9.0", "8.6+PTX", "3.14"])
def test_case_24_a_list_is_judged_as_torch_itself_judges_it(listed: str) -> None:
    """1.13.1 refuses 8.9 and 9.0 and takes 8.6+PTX; 2.8 takes all three."""
    finding = judged(TORCH_CUDA_ARCH_LIST=listed)["toolchain.arch_variable"]
    refused = listed == "3.14" or (is_old() and listed in ("8.9", "9.0"))

    assert ("warn" if refused else "pass") == finding["status"]
    assert listed in finding["measured"]
    if refused:
        assert "Unknown CUDA arch" in finding["reason"]
        assert "TORCH_CUDA_ARCH_LIST" in finding["remedy"]


@pytest.mark.parametrize("release", ["12.4", "11.8", "11.7"])
def test_case_26_nvcc_is_held_against_the_wheel_as_torch_does(release: str, tmp_path: Path) -> None:
    """Where torch refuses, a major version differs; else a minor one warns and the same passes."""
    own = wheel()
    found = judged(CUDA_HOME=toolkit(tmp_path, release))
    finding = found["toolchain.nvcc"]
    mismatch = "mismatches the version" in torch_says(str(tmp_path), "9.4.0")
    other_major = release.split(".", maxsplit=1)[0] != own.split(".")[0]

    assert mismatch == other_major
    assert ("pass" if release == own else "warn") == finding["status"]
    assert ("Another major" in finding["reason"]) == other_major
    assert "CUDA_HOME" in finding["measured"]
    for following in ("toolchain.gcc", "toolchain.architectures"):
        assert found[following]["status"] != "warn" or not other_major


def test_case_26_a_major_difference_fails_where_a_gpu_is_wanted(tmp_path: Path) -> None:
    """The rows that need nvcc are at stake there."""
    release = "11.7" if wheel().startswith("12") else "12.4"
    finding = judged("--device", "cuda", CUDA_HOME=toolkit(tmp_path, release))["toolchain.nvcc"]

    assert "fail" == finding["status"]
    assert release in finding["measured"]


@pytest.mark.parametrize(
    ("gcc", "status"), [("12.2.0", "warn"), ("11.4.0", "pass"), ("9.4.0", "pass")]
)
def test_case_28_gcc_is_held_against_nvcc_as_torch_does(
    gcc: str, status: str, tmp_path: Path
) -> None:
    """Nvcc 11.7 takes gcc up to 11; torch 1.13.1 has the same bound."""
    script(tmp_path / "g++", f"echo 'g++ (Fake 1.0) {gcc}'")
    home = toolkit(tmp_path / "cuda", "11.7")
    finding = judged(CUDA_HOME=home, CXX=str(tmp_path / "g++"))["toolchain.gcc"]

    if not wheel().startswith("11"):
        assert "skip" == finding["status"]
        return
    assert status == finding["status"]
    assert (status == "warn") == torch_says(home, gcc).startswith("refused:")
    if status == "warn":
        assert gcc in finding["measured"]
        assert "11.7" in finding["measured"]
        assert "allow" not in finding["remedy"]


def test_case_29_without_a_toolkit_only_the_kernels_rows_are_hit(tmp_path: Path) -> None:
    """A CUDA_HOME without nvcc is told, and fails nothing else."""
    found = judged(CUDA_HOME=str(tmp_path))
    finding = found["toolchain.nvcc"]

    assert finding["status"] in ("info", "warn")
    assert "only the custom kernel's CUDA rows" in finding["reason"]
    assert "pass" == found["torch.operation"]["status"]


def test_case_30_a_missing_pkg_resources_matters_to_the_old_torch_only(tmp_path: Path) -> None:
    """As setuptools 82 leaves it: the old cpp_extension does not import; the new one does."""
    (tmp_path / "sitecustomize.py").write_text(HIDE)
    finding = judged(before=str(tmp_path))["torch.setuptools"]

    assert ("fail" if is_old() else "pass") == finding["status"]
    if is_old():
        assert "setuptools<81" in finding["remedy"]


def test_case_31_numpy_is_judged_by_a_round_trip(plain: dict[str, Any]) -> None:
    """Whatever NumPy is here, values come back."""
    assert "pass" == plain["torch.numpy"]["status"]


def test_case_35_a_broken_addon_is_a_warning(tmp_path: Path) -> None:
    """A stub that raises the symbol error on import: present but unusable, and no failure."""
    text = "flash_attn_2_cuda.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationE"
    (tmp_path / "flash_attn.py").write_text(f"raise ImportError({text!r})\n")
    found = judged(before=str(tmp_path))

    assert "warn" == found["torch.addons"]["status"]
    assert "flash_attn" in found["torch.addons"]["measured"]
    assert [] == [i for i, f in found.items() if f["status"] == "fail"]


def test_case_35_xformers_says_what_it_was_built_for(tmp_path: Path) -> None:
    """It only logs a warning; both versions are told."""
    message = "xFormers was built for:\n PyTorch 2.0.0+cu118 with CUDA 1108 (you have 1.13.1+cu117)"
    (tmp_path / "xformers.py").write_text(
        f"import logging\nlogging.getLogger('xformers').warning({message!r})\n"
    )
    finding = judged(before=str(tmp_path))["torch.addons"]

    assert "warn" == finding["status"]
    assert "2.0.0+cu118" in finding["reason"]
    assert "1.13.1+cu117" in finding["reason"]


def test_case_37_ninja_without_its_folder_on_path() -> None:
    """The package's metadata is there, the executable is not found."""
    installed = importlib.util.find_spec("ninja") is not None
    finding = judged(PATH="/nowhere/at/all")["toolchain.ninja"]

    assert "warn" == finding["status"]
    assert ("PATH" if installed else "pip install ninja") in finding["remedy"]


def test_case_40_without_a_compiler_the_compiled_rows_are_out() -> None:
    """Told where this torch can compile; the old one says that it cannot."""
    finding = judged(PATH="/nowhere/at/all")["toolchain.compile"]

    assert ("info" if is_old() else "warn") == finding["status"]
    assert ("unsupported" if is_old() else "compiled rows") in finding["reason"]


def test_case_41_an_absent_feature_is_information(plain: dict[str, Any]) -> None:
    """No torch.compile is no fault: the exit status stays 0."""
    finding = plain["toolchain.compile"]

    assert not is_old() or "info" == finding["status"]


def test_built_and_loaded_libraries_agree(plain: dict[str, Any]) -> None:
    """The real wheel loads the cuDNN it names; its CUDA runtime is the one it was built for."""
    wheel()

    assert "pass" == plain["torch.cudnn"]["status"]
    assert plain["torch.cuda_loaded"]["status"] in ("pass", "skip")
    assert "pass" == plain["library.shadowing"]["status"]


STAND_IN = """
import sys, torch
from envcheck.facts import torchvision_ops
nms = torchvision_ops.nms()
assert "torch._dynamo" not in sys.modules or not hasattr(torch, "compile")
import torchvision
assert torchvision.ops.nms is nms
if hasattr(torch, "compile"):
    import torch._dynamo.utils
    assert callable(torch._dynamo.reset)
    assert torch.compile(lambda x: x + 1, backend="eager")(torch.ones(1)).item() == 2
print("ok")
"""
ASKED = """
import sys
from envcheck.facts import torchvision_ops as t
made = t._StandIn("torch._dynamo.utils")
sys.modules["torch._dynamo.utils"] = made
from torch._dynamo.utils import counters
print(type(counters).__name__)
"""


def fresh(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout.strip() or done.stderr


def test_torchs_compiler_stays_whole_after_nms() -> None:
    """It is left out while torchvision is imported and real for whoever asks after that."""
    assert "ok" == fresh(STAND_IN)


def test_another_question_to_the_compiler_gets_the_real_answer() -> None:
    """A torchvision that needs more of it is not told less."""
    if is_old():
        pytest.skip("this torch has no compiler to stand in for")

    assert "defaultdict" == fresh(ASKED)
