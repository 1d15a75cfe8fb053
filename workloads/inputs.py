"""Inputs that are the same in every environment, and their fingerprint.

They are drawn on the CPU from a generator of their own, whose stream does not depend on what
was drawn before; the fingerprint goes into the result's settings, so that a torch whose stream
differs shows as a difference and not as a speed.
"""

from __future__ import annotations

import ctypes
import hashlib
from typing import Any, Iterable


def normal(shape: tuple[int, ...], seed: int, device: str = "cpu") -> Any:
    """Standard normal float32 values of that shape, drawn on the CPU."""
    import torch

    return torch.randn(shape, generator=_generator(seed)).to(device)


def integers(high: int, shape: tuple[int, ...], seed: int, device: str = "cpu") -> Any:
    """Integers in [0, high) of that shape, drawn on the CPU."""
    import torch

    return torch.randint(0, high, shape, generator=_generator(seed)).to(device)


def fingerprint(tensors: Iterable[Any]) -> str:
    """The first 16 digits of the SHA-256 over shapes, types and bytes of the tensors."""
    digest = hashlib.sha256()
    for tensor in tensors:
        host = tensor.detach().cpu().contiguous()
        digest.update(f"{tuple(host.shape)} {host.dtype}".encode())
        digest.update(ctypes.string_at(host.data_ptr(), host.numel() * host.element_size()))
    return digest.hexdigest()[:16]


def _generator(seed: int) -> Any:
    import torch

    return torch.Generator().manual_seed(seed)
