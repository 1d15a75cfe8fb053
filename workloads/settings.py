"""Set, explicitly, everything that two trials must share, and read it back.

Defaults are never relied on: for convolutions torch's default is TF32, for products it is not.
"""

from __future__ import annotations

import os
from typing import Any

from workloads.base import Request
from workloads.features import has


def apply(request: Request) -> dict[str, Any]:
    """Set threads, seeds and precision flags for a trial and return them as read back."""
    import torch

    torch.set_num_threads(request.threads)
    torch.manual_seed(request.seed)
    set_precision(tf32=False)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = False
    return {
        **dict(request.params),
        "device": request.device,
        "dtype": "float32",
        "seed": request.seed,
        "threads": torch.get_num_threads(),
        "cudnn_benchmark": torch.backends.cudnn.benchmark,
        "cudnn_deterministic": torch.backends.cudnn.deterministic,
        **precision(),
    }


def set_precision(*, tf32: bool) -> None:
    """Switch TF32 on or off for products and for convolutions.

    Newer torch has one ``fp32_precision`` per backend and warns when the older flags are set
    beside it; which one is used is decided by whether it exists.
    """
    import torch

    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    if has(matmul, "fp32_precision"):
        matmul.fp32_precision = _word(tf32)
        cudnn.conv.fp32_precision = _word(tf32)
        cudnn.rnn.fp32_precision = _word(tf32)
    else:
        torch.set_float32_matmul_precision("high" if tf32 else "highest")
        matmul.allow_tf32 = tf32
        cudnn.allow_tf32 = tf32
    for name in ("fp16", "bf16"):
        flag = f"allow_{name}_reduced_precision_reduction"
        if has(matmul, flag):
            setattr(matmul, flag, False)


def precision() -> dict[str, Any]:
    """The precision flags in force, in the same words whichever interface this torch has."""
    import torch

    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    if has(matmul, "fp32_precision"):
        matmul_tf32 = matmul.fp32_precision == "tf32"
        cudnn_tf32 = cudnn.conv.fp32_precision == "tf32"
    else:
        matmul_tf32, cudnn_tf32 = bool(matmul.allow_tf32), bool(cudnn.allow_tf32)
    return {
        "matmul_tf32": matmul_tf32,
        "cudnn_tf32": cudnn_tf32,
        "matmul_precision": "high" if matmul_tf32 else "highest",
        "fp16_reduced_precision_reduction": _flag(matmul, "fp16"),
        "bf16_reduced_precision_reduction": _flag(matmul, "bf16"),
    }


def default_threads() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _word(tf32: bool) -> str:  # noqa: FBT001 - private
    return "tf32" if tf32 else "ieee"


def _flag(matmul: Any, name: str) -> bool:
    flag = f"allow_{name}_reduced_precision_reduction"
    value = getattr(matmul, flag) if has(matmul, flag) else False
    return bool(value[0] if isinstance(value, tuple) else value)
