"""plan_build's decisions, from plain facts (CASES 23, 24, 26, 28, 29)."""

from __future__ import annotations

import dataclasses

import pytest

from kernels.archs import bare, choose_archs, from_sm, nvcc_targets, split_list
from kernels.errors import ExtensionUnavailable
from kernels.plan import BuildPlan, Compiler, Facts, newest_gcc, plan_build
from kernels.recipe import cxx_standard, gencode

TORCH_113_ACCEPTS = (
    "3.5",
    "3.7",
    "5.0",
    "5.2",
    "5.3",
    "6.0",
    "6.1",
    "6.2",
    "7.0",
    "7.2",
    "7.5",
    "8.0",
    "8.6",
)
TORCH_113_WHEEL = (
    "3.7",
    "5.0",
    "6.0",
    "7.0",
    "7.5",
    "8.0",
    "8.6",
)
TORCH_28_WHEEL = (
    "7.0",
    "7.5",
    "8.0",
    "8.6",
    "9.0",
    "10.0",
    "12.0",
)


def facts(**changes) -> Facts:
    """Torch 1.13.1 with nvcc 11.7 and gcc 11.4, as in its image, with some facts changed."""
    base = Facts(
        torch="1.13.1+cu117",
        torch_cuda="11.7",
        cxx11_abi=False,
        cxx=Compiler("/usr/bin/g++", "11.4.0"),
        nvcc="11.7",
        nvcc_path="/usr/local/cuda/bin/nvcc",
        nvcc_found_by="PATH",
        gcc_for_nvcc=(Compiler("/usr/bin/g++", "11.4.0"),),
        wheel_archs=TORCH_113_WHEEL,
        accepted_archs=TORCH_113_ACCEPTS,
        requested_archs="8.6+PTX",
    )
    return dataclasses.replace(base, **changes)


def gcc(*versions: str) -> tuple[Compiler, ...]:
    return tuple(Compiler(f"/usr/bin/g++-{v.split('.')[0]}", v) for v in versions)


def test_everything_fits():
    """A fitting toolkit gives CUDA code for the list that was asked for, without a note."""
    expected = BuildPlan(cuda=True, arch_list=("8.6+PTX",), nvcc_gcc="/usr/bin/g++")

    assert expected == plan_build(facts())


REFUSALS = {
    "26: major mismatch": (
        {"nvcc": "12.4", "nvcc_found_by": "CUDA_HOME=/opt/cuda"},
        ("12.4", "11.7", "CUDA_HOME=/opt/cuda"),
        "CUDA 11 toolkit",
    ),
    "26: the other way round": (
        {"torch": "2.8.0+cu128", "torch_cuda": "12.8"},
        ("11.7", "12.8"),
        "CUDA 12 toolkit",
    ),
    "28: gcc too new": (
        {"gcc_for_nvcc": gcc("12.2.0")},
        ("nvcc 11.7 takes gcc up to 11", "12.2.0"),
        "Install g++-11",
    ),
    "28: no gcc at all": ({"gcc_for_nvcc": ()}, ("none was found",), "Install g++-11"),
    "29: no nvcc": ({"nvcc": None, "nvcc_path": ""}, ("No nvcc was found",), "-devel base"),
    "23: only an architecture nvcc lacks": (
        {"requested_archs": "8.9", "accepted_archs": ()},
        ("8.9", "nvcc 11.7 cannot target it"),
        "8.6+PTX",
    ),
    "24: only architectures torch rejects": (
        {"nvcc": "11.8", "requested_archs": "8.9;9.0"},
        ("TORCH_CUDA_ARCH_LIST names 8.9", "this torch accepts 3.5"),
        "8.6+PTX",
    ),
    "CPU wheel": ({"torch": "2.8.0+cpu", "torch_cuda": None}, ("CPU build",), "wheel with CUDA"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_what_does_not_fit_gives_cpu_code_and_a_reason(case):
    """Without a fitting toolkit the plan is CPU code, with what was found and what to do."""
    changes, reasons, remedy = REFUSALS[case]
    plan = plan_build(facts(**changes))

    assert (False, ()) == (plan.cuda, plan.arch_list)
    for text in reasons:
        assert text in plan.reason
    assert remedy in plan.remedy
    assert "allow-unsupported-compiler" not in plan.remedy


@pytest.mark.parametrize("case", REFUSALS)
def test_require_makes_every_refusal_an_error(case):
    """With mode "require" the same facts are an error that carries the reason and the remedy."""
    changes, reasons, remedy = REFUSALS[case]

    with pytest.raises(ExtensionUnavailable) as caught:
        plan_build(facts(**changes), "require")
    assert reasons[0] in str(caught.value)
    assert remedy in str(caught.value)


def test_minor_mismatch_is_a_note():
    """Nvcc 11.8 beside a CUDA 11.7 wheel builds, and the note has both numbers."""
    plan = plan_build(facts(nvcc="11.8"))

    assert plan.cuda
    assert any("11.8" in note and "11.7" in note for note in plan.notes)


@pytest.mark.parametrize("version", ["11.4.0", "9.4.0", "10.2.1"])
def test_fitting_gcc_is_taken(version):
    """Nvcc 11.7 takes gcc up to 11."""
    assert plan_build(facts(gcc_for_nvcc=gcc(version))).cuda


def test_the_first_fitting_gcc_is_given_to_nvcc():
    """A system gcc that is too new does not hide an older one beside it."""
    plan = plan_build(facts(gcc_for_nvcc=gcc("12.2.0", "11.3.0", "9.4.0")))

    assert "/usr/bin/g++-11" == plan.nvcc_gcc


@pytest.mark.parametrize(
    ("nvcc", "expected"),
    [("11.2", 10), ("11.7", 11), ("11.8", 11), ("12.1", 12), ("12.4", 13), ("13.0", 15)],
)
def test_newest_gcc(nvcc, expected):
    """The bound of each toolkit in use here."""
    assert expected == newest_gcc(nvcc)


def test_off_and_unknown_modes():
    """Mode off gives CPU code and says so; a mode that does not exist is refused."""
    assert "switched off" in plan_build(facts(), "off").reason
    with pytest.raises(ValueError, match="auto, require, off"):
        plan_build(facts(), "always")


def test_no_compiler_is_an_error_in_every_mode():
    """Without a C++ compiler nothing can be built."""
    with pytest.raises(ExtensionUnavailable, match="Install g"):
        plan_build(facts(cxx=None), "off")


@pytest.mark.parametrize(
    ("arch", "nvcc", "expected"),
    [
        ("8.6", "11.2", True),
        ("8.6", "11.0", False),
        ("8.7", "11.2", False),
        ("8.9", "11.7", False),
        ("9.0", "11.7", False),
        ("8.9", "11.8", True),
        ("9.0", "12.4", True),
        ("12.0", "12.4", False),
        ("12.0", "12.8", True),
        ("3.7", "11.7", True),
        ("3.7", "12.4", False),
        ("7.0", "13.0", False),
        ("8.6+PTX", "11.7", True),
    ],
)
def test_what_nvcc_targets(arch, nvcc, expected):
    """The known range of each release decides where nvcc does not list its own."""
    assert expected == nvcc_targets(arch, nvcc)


def test_nvcc_own_list_wins():
    """What nvcc says of itself beats the table."""
    assert nvcc_targets("13.0", "12.4", listed=("8.0", "13.0"))
    assert not nvcc_targets("8.6", "12.4", listed=("8.0",))


CHOICES = {
    "asked for, all fit": ({"requested": "8.6 8.9;9.0", "nvcc": "12.4"}, ("8.6", "8.9", "9.0")),
    "one dropped": ({"requested": "8.6;12.0", "nvcc": "12.4"}, ("8.6",)),
    "PTX moves": ({"requested": "8.6,9.0,12.0+PTX", "nvcc": "12.4"}, ("8.6", "9.0+PTX")),
    "not a number": ({"requested": "Hopper;8.6", "nvcc": "12.4"}, ("8.6",)),
    "visible card": ({"visible": ("9.0",), "nvcc": "12.4"}, ("9.0",)),
    "visible Ada, old nvcc": ({"visible": ("8.9",), "nvcc": "11.7"}, ("8.7",)),
    "visible Hopper, old nvcc": ({"visible": ("9.0",), "nvcc": "11.2"}, ("8.6+PTX",)),
    "blank list, no GPU": (
        {"requested": " ", "wheel": TORCH_113_WHEEL, "nvcc": "11.2"},
        ("3.7", "5.0", "6.0", "7.0", "7.5", "8.0", "8.6+PTX"),
    ),
    "unset, no GPU, 12.4": (
        {"wheel": TORCH_28_WHEEL, "nvcc": "12.4"},
        ("7.0", "7.5", "8.0", "8.6", "9.0+PTX"),
    ),
    "nothing known": ({"nvcc": "12.4"}, ()),
}


@pytest.mark.parametrize("case", CHOICES)
def test_architectures(case):
    """The list asked for, else the cards seen, else the wheel's own: never an empty surprise."""
    given, expected = CHOICES[case]
    empty = {"requested": None, "wheel": (), "accepted": (), "visible": ()}
    archs = choose_archs(**{**empty, **given})

    assert expected == archs.chosen


def test_every_left_out_entry_is_named():
    """Nothing is dropped in silence."""
    archs = choose_archs(
        requested="8.6;8.9;junk", wheel=(), accepted=TORCH_113_ACCEPTS, visible=(), nvcc="11.8"
    )

    assert ("8.6",) == archs.chosen
    assert ["8.9", "junk"] == [note.split()[2].rstrip(",") for note in archs.notes]


def test_spelling():
    """The spellings that torch and nvcc use."""
    assert ("8.6", "8.9+PTX") == split_list(" 8.6;8.9+PTX ")
    assert "8.6" == bare("8.6+PTX")
    assert ["8.6", "12.0", "9.0a", None] == [
        from_sm(name) for name in ("sm_86", "compute_120", "sm_90a", "sm_x")
    ]
    assert (
        "-gencode=arch=compute_86,code=sm_86",
        "-gencode=arch=compute_86,code=compute_86",
    ) == gencode(["8.6+PTX"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'-std=c++14'", "-std=c++14"),
        ("'-std=c++17' '-std=c++20'", "-std=c++17"),
        ("", "-std=c++17"),
    ],
)
def test_the_standard_is_torchs_own(text, expected):
    """The C++ standard is read from torch's own builder."""
    assert expected == cxx_standard(text)
