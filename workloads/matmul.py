"""Matrix product ``torch.mm`` of two square float32 matrices, TF32 off."""

from __future__ import annotations

from typing import Any, Sequence

from core.records import OutputCheck
from workloads import checks, inputs
from workloads.base import Prepared, Preset, Request, Variant, Workload

# float32 products lie near 1e-6 of the float64 one at these sizes, TF32 near 3e-4: a product
# that runs in TF32 unasked does not pass.
TOLERANCE = 1e-5


def product(left: Any, right: Any) -> Any:
    """The timed operation: (n, n) times (n, n)."""
    import torch

    return torch.mm(left, right)


def prepare(request: Request) -> Prepared:
    """Two (n, n) matrices of standard normal values, on the device."""
    size = int(request.params["size"])
    left, right = (
        inputs.normal((size, size), request.seed + offset, request.device) for offset in (0, 1)
    )

    def check(output: Any) -> Sequence[OutputCheck]:
        reference = left.double() @ right.double()
        return [checks.relative_norm(output, reference, TOLERANCE, "the product in float64")]

    return Prepared(
        call=lambda: product(left, right),
        check=check,
        inputs=(left, right),
        work={"flop": 2.0 * size**3, "bytes": 3.0 * 4 * size**2},
    )


WORKLOAD = Workload(
    name="matmul",
    summary="torch.mm of two square matrices",
    kind="kernel",
    variants=(Variant("fp32", "float32, TF32 off", published_cpu=True),),
    presets={
        "smoke": Preset({"size": 256}, {"cpu": 4, "cuda": 8}),
        "quick": Preset({"size": 1024}, {"cpu": 8, "cuda": 12}, cuda={"size": 4096}),
        "full": Preset({"size": 4096}, {"cpu": 90, "cuda": 30}, cpu={"size": 2048}),
        "published": Preset(
            {"size": 4096, "article_warmups": 10, "article_calls": 100}, {"cpu": 420, "cuda": 30}
        ),
    },
    prepare=prepare,
)
