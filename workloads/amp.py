"""One shim over the two spellings of automatic mixed precision."""

from __future__ import annotations

from typing import Any

from workloads.features import has

AUTOCAST_DTYPE = {"cuda": "float16", "cpu": "bfloat16"}


def autocast(device: str) -> Any:
    """A context that casts to FP16 on CUDA and to BF16 on a CPU."""
    import torch

    return torch.autocast(device, dtype=getattr(torch, AUTOCAST_DTYPE[device]))


def grad_scaler(device: str) -> Any:
    """A loss scaler that works on CUDA and passes everything through on a CPU."""
    import torch

    enabled = device == "cuda"
    if has(torch.amp, "GradScaler"):
        return torch.amp.GradScaler(device, enabled=enabled)
    return torch.cuda.amp.GradScaler(enabled=enabled)
