"""Feature tests and failures, on plain data."""

from __future__ import annotations

import pytest

from core.records import OutputCheck
from core.status import TrialStatus
from workloads import checks, features
from workloads.failures import classify, is_out_of_memory
from workloads.tables import aligned, seconds

OLD = ["sm_37", "sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86"]
NEW = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]


@pytest.mark.parametrize(
    ("archs", "capability", "expected"),
    [
        (OLD, (8, 9), "sm_86"),
        (OLD, (9, 0), None),
        (OLD, (12, 0), None),
        (NEW, (9, 0), "sm_90"),
        (NEW, (12, 0), "sm_120"),
        (["sm_50", "sm_70"], (8, 9), None),
        (["sm_90"], (8, 9), None),
        (["sm_70", "compute_70"], (8, 9), "compute_70"),
        (["compute_90"], (8, 9), None),
        (["sm_90a"], (9, 0), "sm_90a"),
        (["sm_100a"], (10, 3), None),
        ([], (8, 9), None),
    ],
)
def test_which_code_serves_a_card(archs, capability, expected):
    """Machine code serves its own major version upwards, PTX every later card."""
    assert expected == features.runs_on(archs, capability)


def test_a_card_without_code_is_unsupported():
    """1.13.1 on Hopper: not a failure, and the reason names the card and the list."""
    found = features.card_obstacle(OLD, (9, 0))

    assert found is not None
    assert (TrialStatus.UNSUPPORTED, True) == (found.status, "9.0" in found.reason)
    assert "sm_86" in found.reason


class _Backend:
    """Like ``torch.backends.cuda`` of old: a wrong name is an AssertionError."""

    known = 1

    def __getattr__(self, name):
        raise AssertionError(f"Unknown attribute {name}")


def test_an_absent_attribute_may_answer_with_an_assertion():
    """The feature test takes both ways of saying no."""
    assert (True, False) == (features.has(_Backend(), "known"), features.has(_Backend(), "no"))


class OutOfMemoryError(RuntimeError):
    """Named as torch's own class is."""


@pytest.mark.parametrize(
    "error",
    [
        OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB"),
        RuntimeError("CUDA out of memory. Tried to allocate 20 GiB"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"),
        MemoryError(),
    ],
)
def test_out_of_memory_is_named_in_every_spelling(error):
    """Torch's class, the older text, the CPU allocator, cuBLAS and Python itself."""
    status, reason, remedy = classify(error)

    assert TrialStatus.FAILED is status
    assert reason.startswith("out of memory: ")
    assert remedy


INDUCTOR = """CppCompileError: C++ compile error

Output:
/usr/bin/ld: cannot find -ltorch: No such file or directory
collect2: error: ld returned 1 exit status

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace
"""
CUDA = """CUDA error: an illegal memory access was encountered
CUDA kernel errors might be asynchronously reported at some other API call.
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("the cause\n\n  advice \n", "the cause"),
        (CUDA, "CUDA error: an illegal memory access was encountered"),
        (
            INDUCTOR,
            (
                "CppCompileError: C++ compile error; "
                "/usr/bin/ld: cannot find -ltorch: No such file or directory"
            ),
        ),
    ],
)
def test_other_errors_keep_what_happened_and_not_the_advice(text, reason):
    """Reports begin with what happened, hold the compiler's words, and end with advice."""
    status, told, _ = classify(ValueError(text))

    assert (TrialStatus.FAILED, f"ValueError: {reason}") == (status, told)
    assert not is_out_of_memory(ValueError("out of memory"))


def test_missing_code_and_a_vanished_card_have_their_own_status():
    """Both come as RuntimeError from CUDA."""
    no_code = RuntimeError("CUDA error: no kernel image is available for execution on the device")
    gone = RuntimeError("Unable to determine the device handle: GPU is lost")

    assert TrialStatus.UNSUPPORTED is classify(no_code)[0]
    assert TrialStatus.LOST is classify(gone)[0]


def test_an_output_that_is_not_finite_is_the_worst_and_says_so():
    """NaN never passes and is never ranked below a finite error."""
    bad = OutputCheck("m", float("nan"), 1.0, "r")
    large = OutputCheck("m", 1e9, 1.0, "r")

    assert checks.worst([large, bad, large]) is bad
    assert "not finite" in checks.verdict(bad)
    assert "exceeds" in checks.verdict(large)
    assert checks.verdict(OutputCheck("m", 0.5, 1.0, "r")) == ""


def test_tables_and_times_are_aligned_and_readable():
    """Four digits in the unit that reads best."""
    expected = ["12.35 s", "1.5 ms", "20 us", "3 ns"]

    assert expected == [seconds(s) for s in (12.3456, 1.5e-3, 2e-5, 3e-9)]
    assert aligned(["a", "b"], [["longer", "x"]]) == "a       b\n------  -\nlonger  x\n"
