"""Made-up active facts of a healthy RTX 4090 D; tests change one thing at a time.

Speeds are the public reading and the specification's figures that docs/facts.md names; what the
sensors show is invented. Nothing here was recorded on such a card.
"""

from __future__ import annotations

import copy
from typing import Any

MIB = 1024**2
LOADED = ("fp32", "tf32", "bf16", "fp16", "copy", "host copy", "memory", "burn-in")


def phase(name: str, samples: int = 20, **changes: Any) -> dict[str, Any]:
    found = {
        "phase": name,
        "samples": samples,
        "sm_mhz_median": 2640,
        "sm_mhz_max": 2730,
        "memory_mhz_median": 10251,
        "memory_mhz_max": 10501,
        "power_w_median": 380,
        "power_w_max": 424,
        "temperature_c_median": 61,
        "temperature_c_max": 68,
        "pcie_generation_median": 4,
        "pcie_width_median": 16,
        "throttle": {},
    }
    return {**found, **changes}


def card(index: int = 0, *, burning: bool = True) -> dict[str, Any]:
    """One healthy 4090 D."""
    patterns = ("zeros", "ones", "0x55", "0xAA", "address", "inverted address")
    memory = {
        "tested_bytes": 22 * 1024 * MIB,
        "free_bytes": 23 * 1024 * MIB,
        "total_bytes": 24 * 1024 * MIB,
        "patterns": [{"pattern": name, "wrong_words": 0} for name in patterns],
    }
    speeds = {"fp32": 50.1, "tf32": 75.0, "bf16": 148.9, "fp16": 152.6}
    found: dict[str, Any] = {
        "index": index,
        "name": "NVIDIA GeForce RTX 4090 D",
        "ordinal": index,
        "compute_capability": "8.9",
        "multiprocessors": 114,
        "memory_bytes": 24 * 1024 * MIB,
        "pci_id": "10de:2685",
        "driver_version": "550.54.15",
        "sm_mhz_max": 3105,
        "memory_mhz_max": 10501,
        "memory_bus_bits": 384,
        "power_limit_w": 425.0,
        "pcie_generation_max": 4,
        "pcie_width_max": 16,
        "error": "none",
        "reference": "ok",
        "matrix": {
            "size": 8192,
            "injected": False,
            "modes": [
                {"mode": mode, "tflops": value, "products": 12, "wrong": 0}
                for mode, value in speeds.items()
            ],
        },
        "copies": {
            "device_gbps": 915.0,
            "host_to_device_gbps": 25.1,
            "device_to_host_gbps": 26.0,
            "intact": True,
        },
        "memory": memory,
        "telemetry": {
            "source": "nvml",
            "samples": 700,
            "failures": 0,
            "last_sample_s": 70.0,
            "samples_per_row": 1,
            "phases": [phase("prepare"), *(phase(name) for name in LOADED)],
            "timeline": {},
        },
    }
    if burning:
        found["burn_in"] = {
            "asked_s": 60.0,
            "ran_s": 60.4,
            "interval_s": 2.0,
            "products": 4100,
            "wrong": 0,
            "injected": False,
            "intervals": [
                {
                    "t_s": 2.0 * step,
                    "tflops": {"fp32": 48.0, "bf16": 140.0, "fp16": 141.0},
                    "wrong": 0,
                    "sm_mhz": 2640,
                    "temperature_c": 60,
                    "power_w": 420.0,
                }
                for step in range(1, 31)
            ],
        }
        found["hot_memory"] = copy.deepcopy(memory)
    return found


def active(*cards: dict[str, Any], burn_in_s: float = 60.0, **changes: Any) -> dict[str, Any]:
    """Facts with one active section."""
    found = {
        "device": "cuda",
        "torch": "2.8.0+cu128",
        "count": max(1, len(cards)),
        "burn_in_s": burn_in_s,
        "inject": "none",
        "state": "complete",
        "ending": "in order",
        "elapsed_s": 72.0,
        "devices": list(cards) or [card(burning=burn_in_s > 0)],
        "started_at": "2026-12-01T00:00:00Z",
    }
    return {"active": {**found, **changes}}


def intervals(first: float, last: float, clocks: tuple[int, int]) -> list[dict[str, Any]]:
    """A burn-in whose BF16 speed and SM clock go evenly from one value to another."""
    steps = [place / 29 for place in range(30)]
    return [
        {
            "t_s": 2.0 * (place + 1),
            "tflops": {"bf16": first + (last - first) * part},
            "wrong": 0,
            "sm_mhz": round(clocks[0] + (clocks[1] - clocks[0]) * part),
            "temperature_c": round(60 + 28 * part),
            "power_w": 420.0,
        }
        for place, part in enumerate(steps)
    ]
