"""Real trials on the CPU, in whichever torch runs these tests."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import pytest

from core.records import TrialResult
from core.status import TrialStatus
from workloads import amp, inputs, matmul, registry, resnet50, settings, sigmoid, svd, trial
from workloads.base import Prepared, Preset, Variant, Workload

pytest.importorskip("torch")

TINY = {
    "matmul": {"size": 64},
    "svd": {"size": 32},
    "sigmoid": {"count": 1000},
    "resnet50": {"batch": 2, "size": 64},
}

INTEGERS = "dcafec11d7e514dd"
NORMAL = [-0.146795094, 0.786141276, 0.946821630, -1.114344001, 1.690790176]


@pytest.fixture(autouse=True)
def _quiet():
    """Torch's own warnings at import are not this room's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def attempt(name, variant, device="cpu"):
    """One trial of a tiny size, in this process."""
    work = registry.get(name)
    request = work.request(variant, device, "smoke", threads=1)
    object.__setattr__(request, "params", TINY[name])
    return trial.run(work, request)


def invented(call, check=lambda _output: [], **more):
    """A workload made of one call."""
    return Workload(
        name="invented",
        summary="",
        kind="one_off",
        variants=(Variant("only", ""),),
        presets={"smoke": Preset({}, {"cpu": 1, "cuda": 1})},
        prepare=lambda _request: Prepared(call=call, check=check, inputs=(), **more),
    )


def attempt_invented(work):
    return trial.run(work, work.request("only", "cpu", "smoke"))


@pytest.mark.parametrize(
    ("name", "variant"),
    [("matmul", "fp32"), ("svd", "fp32"), ("sigmoid", "formula"), ("sigmoid", "builtin")],
)
def test_a_good_trial_is_whole_and_survives_json(name, variant):
    """Status, samples, check, settings, identity and code hash are there; JSON is strict."""
    result = attempt(name, variant)

    assert (result.status, result.reason) == (TrialStatus.OK, "")
    assert result.check.passed
    assert result.code_hash
    assert result.settings["threads"] == 1
    assert result.identity["torch"]
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert TrialResult.from_dict(json.loads(text)) == result


@pytest.mark.parametrize("variant", ["fp32", "amp"])
def test_a_training_step_is_checked_and_its_loss_falls(variant):
    """Outputs and loss agree with float64, and later losses are lower."""
    pytest.importorskip("torchvision")

    result = attempt("resnet50", variant)

    assert (result.status, result.reason) == (TrialStatus.OK, "")
    assert result.metrics["last_loss"] < result.metrics["first_loss"]
    assert len(result.metrics["checks"]) == 3


def _spoil(monkeypatch, module, name, change):
    right = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **named: change(right(*given, **named)))


@pytest.mark.parametrize(
    ("name", "variant", "module", "operation", "change"),
    [
        ("matmul", "fp32", matmul, "product", lambda out: out * 1.001),
        ("matmul", "fp32", matmul, "product", lambda out: out + 0.01),
        ("svd", "fp32", svd, "decompose", lambda out: (out[0], out[1] * 1.01, out[2])),
        ("svd", "fp32", svd, "decompose", lambda out: (out[0] * 1.01, out[1], out[2] / 1.01)),
        ("sigmoid", "formula", sigmoid, "formula", lambda out: out + 1e-5),
        ("sigmoid", "builtin", sigmoid, "builtin", lambda out: out * 1.0001),
        ("matmul", "fp32", matmul, "product", lambda out: out * float("nan")),
        ("svd", "fp32", svd, "decompose", lambda out: [part * float("nan") for part in out]),
        ("sigmoid", "builtin", sigmoid, "builtin", lambda out: out / 0),
    ],
)
def test_arithmetic_that_is_off_by_a_constant_fails(
    monkeypatch, name, variant, module, operation, change
):
    """A wrong or non-finite output is a failed trial without a time."""
    _spoil(monkeypatch, module, operation, change)

    result = attempt(name, variant)

    assert result.status is TrialStatus.FAILED
    assert "the output is" in result.reason
    assert result.median_s is None
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("variant", ["fp32", "amp"])
def test_a_wrong_loss_or_a_rising_one_fails(monkeypatch, variant):
    """A tenth too much in the loss, and an optimiser that climbs."""
    pytest.importorskip("torchvision")
    with monkeypatch.context() as scope:
        _spoil(scope, resnet50.TrainingStep, "loss", lambda loss: loss * 1.1)
        wrong = attempt("resnet50", variant)
    monkeypatch.setitem(resnet50.OPTIMIZER, "lr", 0.0)
    stuck = attempt("resnet50", variant)

    assert "the first loss" in wrong.reason
    assert "later loss" in stuck.reason


def test_out_of_memory_is_a_typed_failure():
    """The CPU allocator's own error, for a request no machine can serve."""
    import torch

    result = attempt_invented(invented(lambda: torch.empty(1 << 50)))

    assert result.status is TrialStatus.FAILED
    assert result.reason.startswith("out of memory: ")
    assert result.remedy


def test_what_a_workload_raises_is_its_result():
    """The reason is the exception's first line."""

    def boom():
        raise ValueError("first\nlast")

    result = attempt_invented(invented(boom))

    assert (result.status, result.reason) == (TrialStatus.FAILED, "ValueError: first")


def test_no_cuda_device_is_skipped_with_a_remedy():
    """Asked for CUDA where torch sees none: typed, not a crash."""
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")

    result = attempt("matmul", "fp32", "cuda")

    assert result.status is TrialStatus.SKIPPED
    assert "no CUDA device" in result.reason
    assert result.remedy


def test_compiled_is_unsupported_exactly_where_torch_has_no_compile():
    """In 1.13 the row says so; it is neither failed nor blank."""
    import torch

    found = trial.obstacle(registry.get("sigmoid"), "compiled", "cpu")

    if hasattr(torch, "compile"):
        assert found is None or found.status is TrialStatus.SKIPPED
    else:
        assert found.status is TrialStatus.UNSUPPORTED
        assert found.reason == "this torch has no torch.compile"


def test_compile_without_a_compiler_is_skipped_by_name(monkeypatch):
    """No C++ compiler on PATH: what is needed, and how to get it."""
    import torch

    if not hasattr(torch, "compile"):
        pytest.skip("this torch has no torch.compile")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)

    found = trial.obstacle(registry.get("sigmoid"), "compiled", "cpu")

    assert (found.status, found.reason) == (TrialStatus.SKIPPED, "needs a C++ compiler")


def test_an_extension_that_is_not_there_is_skipped(monkeypatch):
    """Its reason and remedy are the extension's own; CPU code does not serve CUDA."""
    from kernels import errors, ops

    def absent():
        raise errors.ExtensionUnavailable("it is not built.", "Build it.")

    monkeypatch.setattr(ops, "load", absent)
    missing = sigmoid.extension_obstacle("cpu")
    loaded = ops.Loaded(Path("x.so"), cuda=False, key="k")
    monkeypatch.setattr(ops, "load", lambda: loaded)

    assert (missing.status, missing.reason) == (TrialStatus.SKIPPED, "it is not built")
    assert sigmoid.extension_obstacle("cpu") is None
    assert sigmoid.extension_obstacle("cuda").status is TrialStatus.SKIPPED


@pytest.mark.parametrize("tf32", [True, False])
def test_precision_flags_are_set_and_read_back(tf32):
    """Both flags follow, in products and in convolutions; nothing is left at a default."""
    settings.set_precision(tf32=tf32)
    flags = settings.precision()
    settings.set_precision(tf32=False)

    assert (tf32, tf32) == (flags["matmul_tf32"], flags["cudnn_tf32"])


def test_a_trial_records_tf32_as_off():
    """Whatever was set before, the trial sets and records both flags."""
    settings.set_precision(tf32=True)

    recorded = attempt("sigmoid", "builtin").settings

    assert (False, False) == (recorded["matmul_tf32"], recorded["cudnn_tf32"])
    assert recorded["matmul_precision"] == "highest"


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_mixed_precision_is_set_up_without_a_warning(device):
    """One shim: no deprecation in new versions, no missing name in old ones."""
    import torch

    device = device if device == "cpu" or torch.cuda.is_available() else "cpu"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaler = amp.grad_scaler(device)
        with amp.autocast(device):
            product = torch.ones(2, 2, device=device) @ torch.ones(2, 2, device=device)

    assert scaler.is_enabled() == (device == "cuda")
    assert product.dtype is getattr(torch, amp.AUTOCAST_DTYPE[device])


def test_inputs_are_the_same_in_every_environment():
    """The generator's stream is part of the contract: these values hold in 1.13.1 and in 2.8.0.

    Integers are exact on every processor; normal values are compared where their last bit
    depends on the processor's vector unit.
    """
    whole = inputs.fingerprint([inputs.integers(1000, (77,), 7)])
    values = inputs.normal((5,), 7).tolist()

    assert whole == INTEGERS
    assert values == pytest.approx(NORMAL, abs=1e-6)
    assert inputs.fingerprint([inputs.normal((99,), 1)]) != inputs.fingerprint(
        [inputs.normal((99,), 2)]
    )


def test_a_trial_leaves_no_cache_behind(monkeypatch, tmp_path):
    """Compilation caches are private to a trial and removed; the variables are restored."""
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "kept")
    monkeypatch.setattr(trial.tempfile, "tempdir", str(tmp_path))

    with trial.private_caches():
        inside = os.environ["TORCHINDUCTOR_CACHE_DIR"]

    assert inside.startswith(str(tmp_path))
    assert os.environ["TORCHINDUCTOR_CACHE_DIR"] == "kept"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("device", "others", "flags"),
    [("cpu", 0.5, ("noisy",)), ("cpu", 0.05, ()), ("cpu", None, ()), ("cuda", 0.5, ())],
)
def test_a_cpu_trial_beside_a_busy_neighbour_is_noisy(device, others, flags):
    """Samples may agree and be wrong alike; a GPU's device time is not touched."""
    measured = trial.Measured((1.0,), 1, {}, ())

    assert flags == trial.beside_others(measured, others, device).flags
