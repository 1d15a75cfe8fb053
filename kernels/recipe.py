"""The command lines of a build: plain data from a plan, nothing run here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from core.hashing import text_hash, tree_hash
from kernels.archs import bare
from kernels.plan import BuildPlan, Facts

HERE = Path(__file__).resolve().parent
CSRC = HERE / "csrc"
LIBRARY = "torchrig_ops.so"
# -fno-trapping-math and -fno-math-errno let the compiler vectorise comparisons; neither changes a
# result. Kernels need no torch header and stay in C++14, so that one source serves every nvcc.
HOST_FLAGS = ("-O3", "-fPIC", "-fno-trapping-math", "-fno-math-errno", "-fvisibility=hidden")
NVCC_FLAGS = ("-O3", "-Xcompiler", "-fPIC,-fvisibility=hidden")
KERNEL_STANDARD = "-std=c++14"
LINK_FLAGS = ("-shared", "-lc10", "-ltorch_cpu", "-ltorch")


@dataclass(frozen=True)
class Step:
    """One compiler call: its arguments, its source relative to ``csrc``, its object's name."""

    argv: tuple[str, ...]
    source: str
    target: str


def source_hash() -> str:
    """SHA-256 over the sources and the flags they are compiled with."""
    flags = repr((HOST_FLAGS, NVCC_FLAGS, KERNEL_STANDARD, LINK_FLAGS))
    return text_hash(tree_hash(HERE, ["csrc"]) + flags)


def cxx_standard(extension_builder: str) -> str:
    """The standard that torch's own extension builder compiles with, read from its text.

    1.13 says C++14 and 2.8 C++17; a builder that names none gets C++17.
    """
    found = sorted(set(re.findall(r"-std=c\+\+\d\d", extension_builder)))
    return found[0] if found else "-std=c++17"


def compile_steps(
    facts: Facts, plan: BuildPlan, torch_root: Path, standard: str, folder: Path
) -> list[Step]:
    """One step for each source, slowest first; objects go into ``folder``."""
    assert facts.cxx is not None
    torch_flags = (standard, *_torch_flags(facts, torch_root))
    host = (facts.cxx.path, *HOST_FLAGS, *torch_flags)
    steps = [_step(host, source, folder) for source in _sources("*.cpp", "cpu/*.cpp")]
    if plan.cuda:
        nvcc = (facts.nvcc_path, "-ccbin", plan.nvcc_gcc, *NVCC_FLAGS)
        kernel = (*nvcc, KERNEL_STANDARD, *gencode(plan.arch_list))
        steps = [
            *(_step(kernel, source, folder) for source in _sources("cuda/*.cu")),
            *(_step((*nvcc, *torch_flags), source, folder) for source in _sources("cuda/*.cpp")),
            *steps,
        ]
    return steps


def link_command(
    facts: Facts, plan: BuildPlan, torch_root: Path, objects: Sequence[str], library: Path
) -> tuple[str, ...]:
    """The call that links the library. nvcc puts CUDA's runtime in statically, its default."""
    assert facts.cxx is not None
    libraries: tuple[str, ...] = (f"-L{torch_root / 'lib'}", *LINK_FLAGS)
    linker: tuple[str, ...] = (facts.cxx.path,)
    if plan.cuda:
        linker = (facts.nvcc_path, "-ccbin", plan.nvcc_gcc)
        libraries = (*libraries, "-lc10_cuda")
    return (*linker, *objects, *libraries, "-o", str(library))


def gencode(arch_list: Sequence[str]) -> tuple[str, ...]:
    """Options of nvcc: machine code for each architecture, and PTX for those marked ``+PTX``."""
    options = []
    for arch in arch_list:
        digits = bare(arch).replace(".", "")
        codes = [f"sm_{digits}"] + ([f"compute_{digits}"] if arch.endswith("+PTX") else [])
        options += [f"-gencode=arch=compute_{digits},code={code}" for code in codes]
    return tuple(options)


def _torch_flags(facts: Facts, torch_root: Path) -> tuple[str, ...]:
    include = torch_root / "include"
    return (
        f"-D_GLIBCXX_USE_CXX11_ABI={int(facts.cxx11_abi)}",
        "-isystem",
        str(include),
        "-isystem",
        str(include / "torch" / "csrc" / "api" / "include"),
    )


def _sources(*patterns: str) -> list[Path]:
    return [path for pattern in patterns for path in sorted(CSRC.glob(pattern))]


def _step(argv: Sequence[str], source: Path, folder: Path) -> Step:
    name = source.relative_to(CSRC).as_posix()
    target = folder / (name.replace("/", "_") + ".o")
    return Step((*argv, "-c", str(source), "-o", str(target)), name, str(target))
