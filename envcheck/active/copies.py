"""Copy bandwidth on a GPU, from the host to it and back."""

from __future__ import annotations

from typing import Any

from envcheck.active.accelerator import Accelerator

HOST_BYTES = 128 * 1024**2


def on_device(unit: Accelerator, size_bytes: int, block_s: float) -> float:
    """GB/s of a copy inside the device's memory, bytes read and bytes written both counted."""
    torch = unit.torch
    source = torch.ones(size_bytes, dtype=torch.uint8, device=unit.device)
    target = torch.empty_like(source)
    times, seconds = unit.rate(lambda: target.copy_(source), block_s)
    return round(2 * size_bytes * times / seconds / 1e9, 1)


def with_host(unit: Accelerator, block_s: float) -> dict[str, Any]:
    """GB/s to the device and back through pinned memory, and whether the data came back whole."""
    torch = unit.torch
    sent = torch.randint(0, 256, (HOST_BYTES,), dtype=torch.uint8).pin_memory()
    back = torch.empty_like(sent).pin_memory()
    on_card = torch.empty(HOST_BYTES, dtype=torch.uint8, device=unit.device)
    up, up_s = unit.rate(lambda: on_card.copy_(sent, non_blocking=True), block_s)
    down, down_s = unit.rate(lambda: back.copy_(on_card, non_blocking=True), block_s)
    return {
        "host_to_device_gbps": round(HOST_BYTES * up / up_s / 1e9, 2),
        "device_to_host_gbps": round(HOST_BYTES * down / down_s / 1e9, 2),
        "intact": bool(torch.equal(sent, back)),
    }
