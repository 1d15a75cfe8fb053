"""``python -m kernels.bench``: the operators against torch's own and against the copy bandwidth.

Every output is checked against float64 before anything is timed. Times come from CUDA events
around a block of calls on a stream that is kept busy, the median of the blocks. Calls follow each
other on the same input, so sizes within the L2 cache are read from it (hot).
"""

from __future__ import annotations

import json
import statistics
import sys
from typing import Any, Callable

from core.errors import TorchrigError
from kernels import ops
from kernels.errors import ExtensionUnavailable
from kernels.toolchain import import_torch

SIZES = (10_000_000, 256_000_000)
GATE_SHAPE = (16_384, 4_096)
_WARM_UP_CALLS = 50
_BLOCKS = 30
_CALLS_PER_BLOCK = 20
_TOLERANCE = 1e-6


def main() -> int:
    """Print one JSON line for each kernel; 1 where there is no GPU or an output is wrong."""
    try:
        for row in measure_all():
            sys.stdout.write(json.dumps(row, allow_nan=False) + "\n")
    except TorchrigError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


def measure_all() -> list[dict[str, Any]]:
    """Rows with ``name``, ``elements``, ``median_ms`` and ``gigabytes_per_s`` (read and written).

    Raises:
        ExtensionUnavailable: no GPU, no CUDA code, or an output that is wrong.
    """
    torch = import_torch()
    if not (torch.cuda.is_available() and ops.load().cuda):
        raise ExtensionUnavailable(
            "There is no GPU here, or the library holds no CUDA code.",
            "Run this on a machine with an NVIDIA GPU after `python -m kernels build`.",
        )
    rows = [row for size in SIZES for row in _sigmoid_rows(torch, size)]
    return rows + _gate_rows(torch, GATE_SHAPE)


def _sigmoid_rows(torch: Any, size: int) -> list[dict[str, Any]]:
    x, grad = (torch.randn(size, device="cuda") for _ in range(2))
    output = torch.empty_like(x)
    leaf = x.detach().clone().requires_grad_()
    _check(torch, "sigmoid", ops.sigmoid(x), torch.sigmoid(x.double()))
    result = ops.sigmoid(leaf)
    (input_grad,) = torch.autograd.grad(result, leaf, grad)
    exact = torch.sigmoid(x.double())
    _check(torch, "sigmoid backward", input_grad, grad.double() * exact * (1 - exact))
    del exact, leaf, input_grad
    y = result.detach()
    backward = torch.ops.torchrig.sigmoid_backward
    reference = torch.ops.aten.sigmoid_backward
    cases: list[tuple[str, int, Callable[[], Any]]] = [
        ("copy", 2, lambda: output.copy_(x)),
        ("torchrig sigmoid", 2, lambda: ops.sigmoid(x)),
        ("torch.sigmoid", 2, lambda: torch.sigmoid(x)),
        ("formula in eager ops", 2, lambda: 1 / (1 + torch.exp(-x))),
        ("torchrig sigmoid backward", 3, lambda: backward(grad, y)),
        ("torch sigmoid backward", 3, lambda: reference(grad, y)),
    ]
    with torch.no_grad():
        return [_row(torch, name, size, moved * 4 * size, call) for name, moved, call in cases]


def _gate_rows(torch: Any, shape: tuple[int, int]) -> list[dict[str, Any]]:
    x, y, grad = (torch.randn(shape, device="cuda") for _ in range(3))
    bias = torch.randn(shape[1], device="cuda")
    size = x.numel()
    s = torch.sigmoid(x.double())
    _check(torch, "gate", ops.sigmoid_gate(x, y, bias), s * y + bias)
    backward = torch.ops.torchrig.sigmoid_gate_backward
    x_grad, y_grad, bias_grad = backward(grad, x, y)
    _check(torch, "gate x gradient", x_grad, grad * y * s * (1 - s))
    _check(torch, "gate y gradient", y_grad, grad * s)
    _check(torch, "gate bias gradient", bias_grad, grad.double().sum(0))
    del s, x_grad, y_grad, bias_grad
    cases: list[tuple[str, int, Callable[[], Any]]] = [
        ("torchrig gate", 3, lambda: ops.sigmoid_gate(x, y, bias)),
        ("gate in eager ops", 3, lambda: torch.sigmoid(x) * y + bias),
        ("torchrig gate backward", 5, lambda: backward(grad, x, y)),
    ]
    with torch.no_grad():
        return [_row(torch, name, size, moved * 4 * size, call) for name, moved, call in cases]


def _check(torch: Any, name: str, actual: Any, expected: Any) -> None:
    error = float((actual.double() - expected).norm() / expected.norm())
    if not error <= _TOLERANCE:
        raise ExtensionUnavailable(
            f"The output of {name} is off by {error:.2e} (allowed: {_TOLERANCE:.0e}).",
            "Build again with --force; if it stays wrong, the kernel is at fault.",
            what=f"{torch.cuda.get_device_name()} gives a wrong result; nothing was timed.",
        )


def _row(
    torch: Any, name: str, elements: int, moved: int, call: Callable[[], Any]
) -> dict[str, Any]:
    median_s = _median_seconds(torch, call)
    return {
        "name": name,
        "elements": elements,
        "median_ms": median_s * 1e3,
        "gigabytes_per_s": moved / median_s / 1e9,
    }


def _median_seconds(torch: Any, call: Callable[[], Any]) -> float:
    for _ in range(_WARM_UP_CALLS):
        call()
    blocks: list[float] = []
    for _ in range(_BLOCKS):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(1_000_000)  # noqa: SLF001 - keeps the stream busy while calls are queued
        first.record()
        for _ in range(_CALLS_PER_BLOCK):
            call()
        last.record()
        last.synchronize()
        blocks.append(first.elapsed_time(last) / _CALLS_PER_BLOCK / 1e3)
    return statistics.median(blocks)


if __name__ == "__main__":
    sys.exit(main())
