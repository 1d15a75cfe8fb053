"""What building a custom kernel needs. A lack costs those rows only."""

from __future__ import annotations

from core import versions
from envcheck import cuda_levels
from envcheck.checks.judgement import Judgement, failed, info, passed, skipped, warned
from envcheck.checks.registry import ENVIRONMENT, MAJOR, check
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

DEVEL = "Use a devel base image (it has nvcc), or set CUDA_HOME to a CUDA toolkit."
SAME_MAJOR = "Point CUDA_HOME to a toolkit of CUDA {major}.x, the major version of the wheel."
DECLARE = "Take the toolkit the table declares, or declare this one (toolkit_cuda)."
OLDER_GCC = (
    "Use a base with gcc {newest} or older for this CUDA (Ubuntu 22.04 has 11), or name such a "
    "compiler in CXX and NVCC_CCBIN."
)
ARCHITECTURE = "Leave them out of the environment's arch_list, or use a newer toolkit."
INSTALL_NINJA = "Install ninja: `pip install ninja`."
PATH_NINJA = "ninja is installed but not found: put its folder ({folder}/bin) on PATH."
DISTRIBUTION = "/usr/bin/nvcc"
FOLLOWS = "nvcc is of another major version than the wheel: see toolchain.nvcc"
EXTENSION = "only the custom kernel's CUDA rows are affected"


@check(
    "toolchain.nvcc",
    title="nvcc against the wheel",
    scope=ENVIRONMENT,
    looks_at="nvcc as torch finds it (CUDA_HOME, CUDA_PATH, PATH), toolkit_cuda, torch's CUDA",
    why="torch refuses another major version of CUDA and warns of another minor one.",
    needs=("torch.cuda",),
    remedies=(DEVEL, SAME_MAJOR, DECLARE),
    source="https://github.com/Ehzoahis/DEReD/issues/13",
    after=("torch.import",),
)
def nvcc(facts: Facts, wanted: Wanted) -> Judgement:
    """The wheel's CUDA, or a minor difference that the table declares."""
    wheel = facts.text("torch.cuda")
    if wheel == "none":
        return skipped("this torch uses no CUDA")
    expected = f"CUDA {wheel}"
    if not facts.was_read("tools.nvcc"):
        return _no_nvcc(facts, wanted)
    return _compared(facts, wanted, expected)


def _compared(facts: Facts, wanted: Wanted, expected: str) -> Judgement:
    wheel, found = facts.text("torch.cuda"), facts.version("tools.nvcc.version")
    measured = f"{found}, {_which(facts)}"
    ours, theirs = versions.major_minor(found), versions.major_minor(facts.version("torch.cuda"))
    if ours[0] != theirs[0]:
        why = f"Another major version: {EXTENSION}."
        judge = failed if _cuda_rows(facts, wanted) else warned
        return judge(measured, expected, why, SAME_MAJOR.format(major=theirs[0]))
    declared = wanted.expected("toolkit_cuda")
    if declared and ours != versions.major_minor(declared):
        return warned(measured, f"CUDA {declared}", "Not the toolkit of the table.", DECLARE)
    if ours == theirs:
        return passed(measured, expected)
    if declared:
        return info(measured, expected, f"The table declares toolkit {declared} and wheel {wheel}.")
    return warned(measured, expected, "Another minor version, not declared.", DECLARE)


def _which(facts: Facts) -> str:
    """Which nvcc it is and what led to it."""
    by = facts.maybe_text("tools.nvcc.found_by") or "an unknown way"
    path = facts.maybe_text("tools.nvcc.path") or "no path recorded"
    owner = ", the distribution's own" if path == DISTRIBUTION else ""
    return f"{path} found by {by}{owner}"


def _cuda_rows(facts: Facts, wanted: Wanted) -> bool:
    """Whether rows that need nvcc can run here: a GPU is wanted, or torch sees one."""
    return wanted.wants_gpu or (
        wanted.device != "cpu" and facts.maybe_text("torch.available") == "ok"
    )


def _other_major(facts: Facts) -> bool:
    """Whether nvcc's major version is not the wheel's: one cause, told by toolchain.nvcc."""
    try:
        wheel, found = facts.version("torch.cuda"), facts.version("tools.nvcc.version")
    except Unread:
        return False
    return versions.major_minor(wheel)[0] != versions.major_minor(found)[0]


def _no_nvcc(facts: Facts, wanted: Wanted) -> Judgement:
    try:
        facts.value("tools.nvcc")
    except Unread as unread:
        why = f"{unread.why}: {EXTENSION}."
        if wanted.wants_gpu:
            return warned("no nvcc", "nvcc", why, DEVEL)
        return info("no nvcc", "nvcc for CUDA rows", why)
    return skipped("nvcc was not read")


@check(
    "toolchain.architectures",
    title="nvcc against the architecture list",
    scope=ENVIRONMENT,
    severity=MAJOR,
    looks_at="arch_list of the environment, version of nvcc",
    why="An older nvcc does not know newer cards: 11.7 knows neither 8.9 nor 9.0.",
    needs=("tools.nvcc.version",),
    remedies=(ARCHITECTURE,),
    source="https://github.com/NVIDIA/thrust/issues/1948",
)
def architectures(facts: Facts, wanted: Wanted) -> Judgement:
    """Nvcc can target every entry."""
    declared = (wanted.environment or {}).get("arch_list")
    if not isinstance(declared, (list, tuple)) or not declared:
        return skipped("the environment declares no arch_list")
    if _other_major(facts):
        return skipped(FOLLOWS)
    listed, found = [str(item) for item in declared], facts.version("tools.nvcc.version")
    unknown = cuda_levels.unknown_to_nvcc(listed, found)
    measured = f"nvcc {found} ({_which(facts)})"
    expected = f"knows {', '.join(listed)}"
    if unknown:
        why = f"It cannot target {', '.join(unknown)}: {EXTENSION}."
        return warned(measured, expected, why, ARCHITECTURE)
    return passed(measured, expected)


@check(
    "toolchain.gcc",
    title="Host compiler against nvcc",
    scope=ENVIRONMENT,
    severity=MAJOR,
    looks_at="version of the C++ compiler that nvcc uses, version of nvcc",
    why="nvcc refuses a host compiler that is newer than it knows.",
    needs=("tools.nvcc.version",),
    remedies=(OLDER_GCC,),
    source="https://github.com/pytorch/pytorch/issues/136556",
)
def gcc(facts: Facts, wanted: Wanted) -> Judgement:
    """Not newer than this CUDA accepts."""
    del wanted
    if _other_major(facts):
        return skipped(FOLLOWS)
    cuda = facts.version("tools.nvcc.version")
    own = facts.was_read("tools.nvcc.host_compiler")
    place = "tools.nvcc.host_compiler" if own else "tools.cxx"
    if facts.choice(f"{place}.family", ("gcc", "clang")) != "gcc":
        return skipped("the host compiler is not gcc")
    found, newest = facts.version(f"{place}.version"), cuda_levels.newest_gcc(cuda)
    if newest is None:
        return skipped(f"the compilers that CUDA {cuda} accepts are not known")
    measured, expected = f"gcc {found}, nvcc {cuda}", f"gcc {newest} or older"
    if versions.release(found)[0] > newest:
        why = f"nvcc {cuda} does not accept gcc {found}: {EXTENSION}."
        return warned(measured, expected, why, OLDER_GCC.format(newest=newest))
    return passed(measured, expected)


@check(
    "toolchain.ninja",
    title="ninja runs",
    scope=ENVIRONMENT,
    severity=MAJOR,
    looks_at="`ninja --version`, run",
    why="Building an extension needs the executable on PATH; having the package is not enough.",
    needs=("tools.ninja",),
    remedies=(INSTALL_NINJA, PATH_NINJA),
    source="https://github.com/openseg-group/openseg.pytorch/issues/32",
)
def ninja(facts: Facts, wanted: Wanted) -> Judgement:
    """It answers with its version."""
    del wanted
    expected = "answers with its version"
    if facts.was_read("tools.ninja.answer"):
        return passed(facts.version("tools.ninja.answer"), expected)
    if facts.was_read("tools.ninja.package"):
        folder = facts.maybe_text("python.prefix") or "the environment"
        why = "The package is there, its executable is not on PATH."
        return warned("not on PATH", expected, why, PATH_NINJA.format(folder=folder))
    return warned("absent", expected, "Extensions cannot be built here.", INSTALL_NINJA)
