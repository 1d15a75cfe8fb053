"""What torch.compile needs, and the architecture list that torch itself refuses."""

from __future__ import annotations

from typing import Optional

from envcheck import texts
from envcheck.checks.judgement import Judgement, info, passed, skipped, warned
from envcheck.checks.registry import ENVIRONMENT, MAJOR, check
from envcheck.reading import Facts
from envcheck.wanted import Wanted

COMPILER = "Install a C++ compiler (package g++)."
C_COMPILER = "Install a C compiler (package gcc), or name one in CC."
HEADERS = "Install the Python headers (package python3-dev, in this Python's version)."
LIBCUDA = (
    "Hand the driver's library in with the GPU (NVIDIA_DRIVER_CAPABILITIES=compute,utility), and "
    "run `ldconfig` where it lies in a folder that the loader does not know."
)
OTHER_LIST = (
    "Set TORCH_CUDA_ARCH_LIST to what this torch knows, such as 8.6+PTX for torch 1.13, or unset "
    "it; each environment has its own list."
)
ROWS = "the compiled rows cannot run"


@check(
    "toolchain.compile",
    title="What torch.compile needs",
    scope=ENVIRONMENT,
    severity=MAJOR,
    looks_at="C++ compiler, Python.h, whether this torch has torch.compile; on a GPU also a C "
    "compiler and libcuda for Triton",
    why="It compiles small C and C++ files at run time and fails without them.",
    needs=("torch.compile",),
    remedies=(COMPILER, HEADERS, C_COMPILER, LIBCUDA),
    source="https://github.com/pytorch/pytorch/issues/116696",
    after=("torch.import",),
)
def compile_(facts: Facts, wanted: Wanted) -> Judgement:
    """Compilers and headers, where this torch can compile at all; libcuda beside a GPU."""
    expected = "C++ compiler and Python headers"
    if not facts.flag("torch.compile"):
        return info("no torch.compile", "any", "This torch has no torch.compile: unsupported.")
    if not facts.was_read("tools.cxx"):
        return warned("no C++ compiler", expected, f"No C++ compiler: {ROWS}.", COMPILER)
    compiler = f"{facts.text('tools.cxx.family')} {facts.version('tools.cxx.version')}"
    if not facts.was_read("python.headers"):
        why = f"Python.h is missing: {ROWS}."
        return warned(f"{compiler}, no headers", expected, why, HEADERS)
    facts.text("python.headers")
    on_gpu = wanted.device != "cpu" and facts.maybe_text("torch.available") == "ok"
    lack = _gpu_lack(facts) if on_gpu else None
    if lack:
        return warned(f"{compiler}, headers", "also a C compiler and libcuda", *lack)
    return passed(f"{compiler}, headers{', C compiler, libcuda' if on_gpu else ''}", expected)


def _gpu_lack(facts: Facts) -> Optional[tuple[str, str]]:
    """What Triton lacks: it compiles a C file that it links with libcuda."""
    if not facts.was_read("tools.cc"):
        return f"No C compiler for Triton: {ROWS} on the GPU.", C_COMPILER
    if not facts.each("libraries.libcuda"):
        return f"Triton finds no libcuda in the loader's folders: {ROWS} on the GPU.", LIBCUDA
    return None


@check(
    "toolchain.arch_variable",
    title="TORCH_CUDA_ARCH_LIST",
    scope=ENVIRONMENT,
    severity=MAJOR,
    looks_at="the variable, given to the function in torch that turns it into compiler options",
    why="torch refuses architectures that it does not know before nvcc is even asked.",
    needs=("torch.arch_variable", "python.variables"),
    remedies=(OTHER_LIST,),
    source="https://github.com/CharlesShang/DCNv2/issues/143",
    after=("torch.import", "torch.setuptools"),
)
def arch_variable(facts: Facts, wanted: Wanted) -> Judgement:
    """Unset, or taken by torch."""
    del wanted
    value = facts.table("python.variables").get("TORCH_CUDA_ARCH_LIST", "")
    answer = facts.text("torch.arch_variable")
    if answer == "unset":
        return skipped("the variable is not set")
    measured, expected = f"set to {value!r}", "a list that torch takes"
    if answer == "ok":
        return passed(measured, expected)
    why = f"torch refuses it ({texts.first_line(answer)}): the custom kernel cannot be built."
    return warned(measured, expected, why, OTHER_LIST)
