"""Whether the CUDA sources are compiled, for which architectures, by which compilers, and why.

``plan_build`` takes plain facts and gives a plain plan; it looks at nothing itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

from core.versions import major_minor, release
from kernels.archs import Archs, choose_archs
from kernels.errors import ExtensionUnavailable

MODES = ("auto", "require", "off")
# The newest major version of gcc that an nvcc takes, from the toolkit's installation guide.
_NEWEST_GCC = (
    ((11, 0), 9),
    ((11, 1), 10),
    ((11, 4), 11),
    ((12, 0), 12),
    ((12, 4), 13),
    ((12, 8), 14),
    ((13, 0), 15),
)
NO_NVCC_REMEDY = (
    "Use an image with the CUDA toolkit (a -devel base), or set CUDA_HOME to a toolkit's folder."
)


@dataclass(frozen=True)
class Compiler:
    """A host compiler: its path and its version, such as ``"11.4.0"``."""

    path: str
    version: str


@dataclass(frozen=True)
class Facts:
    """What a build needs to know about this environment.

    ``torch_cuda`` is the wheel's CUDA version, None for a CPU wheel. ``gcc_for_nvcc`` lists host
    compilers in the order in which nvcc should be given them. ``nvcc_found_by`` names the variable
    or the search that led to ``nvcc_path``.
    """

    torch: str
    torch_cuda: Optional[str]
    cxx11_abi: bool
    cxx: Optional[Compiler]
    nvcc: Optional[str] = None
    nvcc_path: str = ""
    nvcc_found_by: str = ""
    nvcc_archs: tuple[str, ...] = ()
    gcc_for_nvcc: tuple[Compiler, ...] = ()
    wheel_archs: tuple[str, ...] = ()
    accepted_archs: tuple[str, ...] = ()
    visible_archs: tuple[str, ...] = ()
    requested_archs: Optional[str] = None


@dataclass(frozen=True)
class BuildPlan:
    """What will be compiled; ``reason`` and ``remedy`` say why CUDA code is not."""

    cuda: bool
    arch_list: tuple[str, ...] = ()
    reason: str = ""
    remedy: str = ""
    nvcc_gcc: str = ""
    notes: tuple[str, ...] = ()


def newest_gcc(nvcc: str) -> Optional[int]:
    """The newest gcc major version that this nvcc takes; None for an nvcc older than the table."""
    fitting = [gcc for first, gcc in _NEWEST_GCC if major_minor(nvcc) >= first]
    return fitting[-1] if fitting else None


def plan_build(facts: Facts, mode: str = "auto") -> BuildPlan:
    """Decide on a build.

    CUDA sources are compiled when the wheel has CUDA, nvcc has the wheel's major version, a host
    compiler that nvcc takes exists, and at least one architecture is left. Otherwise the plan
    is CPU code with the reason.

    Raises:
        ExtensionUnavailable: no C++ compiler; or ``mode`` is ``require`` and CUDA code cannot be
            compiled.
        ValueError: an unknown mode.
    """
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    if facts.cxx is None:
        raise ExtensionUnavailable(
            "No C++ compiler was found: neither $CXX nor g++ runs.", "Install g++."
        )
    plan = _off() if mode == "off" else _cuda_plan(facts)
    if mode == "require" and not plan.cuda:
        raise ExtensionUnavailable(
            plan.reason, plan.remedy, what="CUDA code was required and cannot be compiled."
        )
    return plan


def _off() -> BuildPlan:
    return BuildPlan(
        cuda=False,
        reason="CUDA code was switched off.",
        remedy="Build with --cuda auto or require.",
    )


def _cuda_plan(facts: Facts) -> BuildPlan:
    refusal = _toolkit_refusal(facts)
    if refusal:
        return refusal
    assert facts.nvcc is not None
    host = _host_compiler(facts.nvcc, facts.gcc_for_nvcc)
    if host is None:
        return _gcc_refusal(facts.nvcc, facts.gcc_for_nvcc)
    archs = choose_archs(
        requested=facts.requested_archs,
        wheel=facts.wheel_archs,
        accepted=facts.accepted_archs,
        visible=facts.visible_archs,
        nvcc=facts.nvcc,
        nvcc_listed=facts.nvcc_archs,
    )
    notes = _minor_note(facts) + archs.notes
    if not archs.chosen:
        return _arch_refusal(facts, archs)
    return BuildPlan(cuda=True, arch_list=archs.chosen, nvcc_gcc=host.path, notes=notes)


def _toolkit_refusal(facts: Facts) -> Optional[BuildPlan]:
    if facts.torch_cuda is None:
        return BuildPlan(
            cuda=False,
            reason=f"torch {facts.torch} is a CPU build.",
            remedy="Install a torch wheel with CUDA.",
        )
    if facts.nvcc is None:
        where = f" ({facts.nvcc_found_by})" if facts.nvcc_found_by else ""
        return BuildPlan(cuda=False, reason=f"No nvcc was found{where}.", remedy=NO_NVCC_REMEDY)
    if release(facts.nvcc)[0] != release(facts.torch_cuda)[0]:
        return BuildPlan(
            cuda=False,
            reason=(
                f"nvcc {facts.nvcc} ({facts.nvcc_path}, found by {facts.nvcc_found_by}) and the "
                f"CUDA {facts.torch_cuda} of torch {facts.torch} differ in their major version."
            ),
            remedy=f"Set CUDA_HOME to a CUDA {release(facts.torch_cuda)[0]} toolkit.",
        )
    return None


def _host_compiler(nvcc: str, candidates: Sequence[Compiler]) -> Optional[Compiler]:
    newest = newest_gcc(nvcc)
    for compiler in candidates:
        if newest is None or release(compiler.version)[0] <= newest:
            return compiler
    return None


def _gcc_refusal(nvcc: str, candidates: Sequence[Compiler]) -> BuildPlan:
    newest = newest_gcc(nvcc)
    found = ", ".join(f"{gcc.path} is {gcc.version}" for gcc in candidates) or "none was found"
    return BuildPlan(
        cuda=False,
        reason=f"nvcc {nvcc} takes gcc up to {newest} as its host compiler; {found}.",
        remedy=f"Install g++-{newest}; nvcc will be given it.",
    )


def _arch_refusal(facts: Facts, archs: Archs) -> BuildPlan:
    allowed = facts.accepted_archs or facts.wheel_archs
    usable = choose_archs(
        requested=";".join(allowed),
        wheel=(),
        accepted=(),
        visible=(),
        nvcc=facts.nvcc or "",
        nvcc_listed=facts.nvcc_archs,
    ).chosen
    why = " ".join(archs.notes) or f"torch {facts.torch} lists no architecture."
    return BuildPlan(
        cuda=False,
        reason=f"No architecture is left to compile for. {why}",
        remedy=f"Set TORCH_CUDA_ARCH_LIST to some of: {', '.join(usable) or 'none fits'}"
        + (f", such as {usable[-1]}+PTX." if usable else "; use another toolkit."),
    )


def _minor_note(facts: Facts) -> tuple[str, ...]:
    assert facts.nvcc is not None
    assert facts.torch_cuda is not None
    if major_minor(facts.nvcc) == major_minor(facts.torch_cuda):
        return ()
    pair = f"nvcc is {facts.nvcc} and the wheel's CUDA {facts.torch_cuda}"
    return (f"{pair}: the same major version, which is compatible.",)
