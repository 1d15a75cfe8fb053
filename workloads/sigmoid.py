"""Sigmoid of float32 values: the formula in eager ops, built in, our extension, compiled."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from core.records import OutputCheck
from workloads import checks, inputs
from workloads.base import Obstacle, Prepared, Preset, Request, Variant, Workload, skipped
from workloads.features import compile_obstacle

TOLERANCE = 1e-6


def formula(values: Any) -> Any:
    """``1 / (1 + exp(-x))`` as eager ops, any shape."""
    return 1 / (1 + (-values).exp())


def builtin(values: Any) -> Any:
    """``torch.sigmoid``."""
    import torch

    return torch.sigmoid(values)


def extension(values: Any) -> Any:
    """The op that this project builds."""
    from kernels import ops

    return ops.sigmoid(values)


def compiled() -> Callable[[Any], Any]:
    """The formula through ``torch.compile``; a graph break or a second shape is an error."""
    import torch

    through: Callable[[Any], Any] = torch.compile(formula, fullgraph=True, dynamic=False)
    return through


def function(variant: str) -> Callable[[Any], Any]:
    """The timed operation of a variant."""
    if variant == "compiled":
        return compiled()
    return {"formula": formula, "builtin": builtin, "extension": extension}[variant]


def prepare(request: Request) -> Prepared:
    """A vector of standard normal values, on the device."""
    count = int(request.params["count"])
    values = inputs.normal((count,), request.seed, request.device)
    operation = function(request.variant)

    def check(output: Any) -> Sequence[OutputCheck]:
        reference = 1 / (1 + (-values.double()).exp())
        return [checks.largest_difference(output, reference, TOLERANCE, "the formula in float64")]

    def compile_metrics(measured: Any) -> dict[str, Any]:
        if request.variant != "compiled":
            return {}
        return {"compile_s": measured["first_call_s"], "compile_cache": "cold"}

    return Prepared(
        call=lambda: operation(values),
        check=check,
        inputs=(values,),
        work={"bytes": 2.0 * 4 * count},
        metrics=compile_metrics,
    )


def obstacle(variant: str, device: str) -> Optional[Obstacle]:
    """What keeps a variant from running here."""
    if variant == "compiled":
        return compile_obstacle(device)
    if variant == "extension":
        return extension_obstacle(device)
    return None


def extension_obstacle(device: str) -> Optional[Obstacle]:
    """Why the extension cannot serve a device here, or None."""
    from kernels import errors, ops

    try:
        loaded = ops.load()
    except errors.ExtensionUnavailable as error:
        return skipped(error.reason.rstrip("."), error.remedy)
    if device == "cuda" and not loaded.cuda:
        return skipped(
            f"the extension has CPU code only: {loaded.reason.rstrip('.')}",
            loaded.remedy or "Build this environment on a base that has nvcc.",
        )
    return None


WORKLOAD = Workload(
    name="sigmoid",
    summary="sigmoid of a vector",
    kind="kernel",
    variants=(
        Variant("formula", "1/(1+exp(-x)) in eager ops"),
        Variant("builtin", "torch.sigmoid"),
        Variant("extension", "our C++/CUDA extension"),
        Variant("compiled", "the formula through torch.compile"),
    ),
    presets={
        "smoke": Preset(
            {"count": 100_000},
            {"cpu": 4, "cuda": 8},
            variant_estimate_s={"compiled": {"cpu": 25, "cuda": 20}},
        ),
        "quick": Preset(
            {"count": 10_000_000},
            {"cpu": 8, "cuda": 12},
            cpu={"count": 1_000_000},
            variant_estimate_s={"compiled": {"cpu": 25, "cuda": 25}},
        ),
        "full": Preset(
            {"count": 10_000_000},
            {"cpu": 40, "cuda": 20},
            variant_estimate_s={"compiled": {"cpu": 60, "cuda": 40}},
        ),
        "published": Preset(
            {"count": 10_000_000, "article_warmups": 10, "article_calls": 100},
            {"cpu": 60, "cuda": 20},
            variant_estimate_s={"compiled": {"cpu": 80, "cuda": 40}},
        ),
    },
    prepare=prepare,
    obstacle=obstacle,
)
