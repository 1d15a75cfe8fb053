"""Full singular value decomposition of a square float32 matrix.

On CUDA the solver is cuSOLVER's ``gesvdj``, which is what ``torch.linalg.svd`` tries first when
none is named; naming it keeps a version from falling back to another in silence. On a CPU it is
LAPACK's.
"""

from __future__ import annotations

from typing import Any, Sequence

from core.records import OutputCheck
from workloads import checks, inputs
from workloads.base import Prepared, Preset, Request, Variant, Workload

CUDA_DRIVER = "gesvdj"
# LAPACK stays below 1e-5. cuSOLVER's Jacobi solver is less exact: 1e-3 was seen at 2048.
TOLERANCE = {"lapack": 1e-4, CUDA_DRIVER: 5e-3}


def decompose(matrix: Any, driver: Any = None) -> Any:
    """The timed operation: (n, n) into U (n, n), S (n), Vh (n, n)."""
    import torch

    return torch.linalg.svd(matrix, full_matrices=True, driver=driver)


def prepare(request: Request) -> Prepared:
    """One (n, n) matrix of standard normal values, on the device."""
    size = int(request.params["size"])
    matrix = inputs.normal((size, size), request.seed, request.device)
    driver = CUDA_DRIVER if request.device == "cuda" else None
    solver = driver or "lapack"
    return Prepared(
        call=lambda: decompose(matrix, driver),
        check=lambda output: check(matrix, output, TOLERANCE[solver]),
        inputs=(matrix,),
        settings={"driver": solver, "full_matrices": True},
    )


def check(matrix: Any, output: Any, tolerance: float) -> Sequence[OutputCheck]:
    """Residual, and the orthogonality of both bases, all evaluated in float64."""
    import torch

    left, values, right = (part.double() for part in output)
    one = torch.eye(len(values), dtype=torch.float64, device=values.device)
    return [
        checks.relative_norm(
            (left * values) @ right, matrix.double(), tolerance, "the input (residual)"
        ),
        checks.relative_norm(left.T @ left, one, tolerance, "orthogonality of U"),
        checks.relative_norm(right @ right.T, one, tolerance, "orthogonality of V"),
    ]


WORKLOAD = Workload(
    name="svd",
    summary="torch.linalg.svd of a square matrix; the first call apart",
    kind="one_off",
    variants=(
        Variant("fp32", f"float32, {CUDA_DRIVER} on CUDA, LAPACK on a CPU", published_cpu=True),
    ),
    presets={
        "smoke": Preset({"size": 128}, {"cpu": 4, "cuda": 8}),
        "quick": Preset({"size": 512}, {"cpu": 9, "cuda": 20}, cuda={"size": 1024}),
        "full": Preset({"size": 2048}, {"cpu": 90, "cuda": 40}, cpu={"size": 1024}),
        "published": Preset({"size": 2048}, {"cpu": 120, "cuda": 40}),
    },
    prepare=prepare,
)
