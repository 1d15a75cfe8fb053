"""GPUs through nvidia-smi, where the package nvidia-ml-py cannot serve."""

from __future__ import annotations

import re
from typing import Any, Callable

from envcheck.facts.field import unavailable
from envcheck.facts.nvml import LEFT_OUT, throttle_reasons
from envcheck.facts.shell import Ran, run

MIB = 1024**2
_TROUBLE = re.compile(
    r"has failed|failed to initialize|couldn't communicate|mismatch|blocked by|no devices were",
    re.IGNORECASE,
)


def _on(text: str) -> bool:
    return {"enabled": True, "disabled": False}[text.lower()]


def _pci_id(text: str) -> str:
    number = int(text, 16)
    return f"{number & 0xFFFF:04x}:{number >> 16:04x}"


# nvidia-smi's name of a property, the fact's name, and how its text is read
_FIELDS: tuple[tuple[str, str, Callable[[str], Any]], ...] = (
    ("name", "name", str),
    ("uuid", "uuid", str),
    ("pci.bus_id", "bus", str),
    ("pci.device_id", "pci_id", _pci_id),
    ("compute_cap", "compute_capability", str),
    ("memory.total", "memory_bytes", lambda text: int(text) * MIB),
    ("memory.used", "memory_used_bytes", lambda text: int(text) * MIB),
    ("persistence_mode", "persistence", _on),
    ("compute_mode", "compute_mode", lambda text: text.lower().replace("_", " ")),
    ("mig.mode.current", "mig", _on),
    ("ecc.mode.current", "ecc", _on),
    ("ecc.errors.uncorrected.volatile.total", "uncorrected_errors", int),
    ("power.limit", "power_limit_w", float),
    ("power.default_limit", "power_default_w", float),
    ("power.draw", "power_draw_w", float),
    ("temperature.gpu", "temperature_c", int),
    ("fan.speed", "fan_percent", int),
    ("clocks.sm", "sm_clock_mhz", int),
    ("clocks.max.sm", "sm_clock_max_mhz", int),
    ("clocks.applications.graphics", "sm_clock_set_mhz", int),
    ("clocks.default_applications.graphics", "sm_clock_set_default_mhz", int),
    (
        "clocks_throttle_reasons.active",
        "throttle_reasons",
        lambda text: throttle_reasons(int(text, 16)),
    ),
    ("pstate", "performance_state", lambda text: int(text.lstrip("Pp"))),
    ("utilization.gpu", "utilisation_percent", int),
    ("pcie.link.gen.current", "pcie_generation", int),
    ("pcie.link.gen.max", "pcie_generation_max", int),
    ("pcie.link.width.current", "pcie_width", int),
    ("pcie.link.width.max", "pcie_width_max", int),
)
_FIRST = ("name", "uuid", "pci.bus_id", "memory.total")
_ROWS = (
    "gpu_bus_id",
    "remapped_rows.correctable",
    "remapped_rows.uncorrectable",
    "remapped_rows.pending",
    "remapped_rows.failure",
)
_UNTOLD = unavailable("nvidia-smi does not show it")


def collect(*, identify: bool) -> dict[str, Any]:
    """The same fields as NVML gives; those that this nvidia-smi does not know are unavailable."""
    banner = run(["nvidia-smi"], timeout_s=10)
    if banner.why:
        state = "absent" if "PATH" in banner.why else "failed"
        return _answer(state, banner.why)
    if banner.returncode != 0 or _TROUBLE.search(banner.text):
        return _answer("failed", f"{banner.text[:500]} (exit status {banner.returncode})")
    return {
        **_answer("ok", ""),
        "driver_version": _search(r"Driver Version:\s*([\d.]+)", banner.out),
        "cuda_level": _search(r"CUDA Version:\s*([\d.]+)", banner.out),
        "devices": _devices(identify=identify),
    }


def _answer(state: str, text: str) -> dict[str, Any]:
    missing = unavailable(text)
    return {
        "source": "nvidia-smi",
        "state": state,
        "text": text,
        "driver_version": missing,
        "cuda_level": missing,
        "devices": missing,
    }


def _search(pattern: str, text: str) -> Any:
    match = re.search(pattern, text)
    return match.group(1) if match else unavailable("nvidia-smi does not show it")


def _devices(*, identify: bool) -> Any:
    asked = tuple(name for name, _, _ in _FIELDS)
    ran = _query(asked)
    if ran.why or ran.returncode != 0:
        asked = tuple(name for name in asked if name in _FIRST)
        ran = _query(asked)
    if ran.why or ran.returncode != 0:
        return unavailable(ran.why or ran.text)
    devices = [
        _device(asked, line, identify=identify) for line in ran.out.splitlines() if line.strip()
    ]
    _with_processes(devices)
    _with_remapped_rows(devices)
    return [{key: value for key, value in item.items() if key != "bus"} for item in devices]


def _query(names: tuple[str, ...], kind: str = "gpu") -> Ran:
    wanted = f"--query-{kind}={','.join(names)}"
    return run(["nvidia-smi", wanted, "--format=csv,noheader,nounits"], timeout_s=10)


def _lines(ran: Ran) -> Any:
    """The answer's lines, each split at its commas; why there is none otherwise."""
    if ran.why or ran.returncode != 0:
        return unavailable(ran.why or ran.text[:200])
    rows = [[part.strip() for part in line.split(",")] for line in ran.out.splitlines()]
    return [row for row in rows if any(row)]


def _with_processes(devices: list[dict[str, Any]]) -> None:
    told = _lines(_query(("gpu_bus_id", "pid"), "compute-apps"))
    for device in devices:
        known = isinstance(told, list) and isinstance(device["bus"], str)
        device["processes"] = sum(row[0] == device["bus"] for row in told) if known else _why(told)


def _with_remapped_rows(devices: list[dict[str, Any]]) -> None:
    told = _lines(_query(_ROWS, "remapped-rows"))
    rows = (
        {row[0]: row[1:] for row in told if len(row) == len(_ROWS)}
        if isinstance(told, list)
        else {}
    )
    for device in devices:
        row = rows.get(device["bus"]) if isinstance(device["bus"], str) else None
        device["remapped_rows"] = _remapped(row) if row else _why(told)


def _why(told: Any) -> Any:
    return told if isinstance(told, dict) else _UNTOLD


def _remapped(row: list[str]) -> Any:
    """Counts of remapped rows; ``Yes`` and ``1`` are true."""
    try:
        flags = [{"yes": True, "no": False}.get(text.lower()) for text in row[2:]]
        pending, failed = [bool(int(t)) if f is None else f for t, f in zip(row[2:], flags)]
        return {
            "corrected": int(row[0]),
            "uncorrected": int(row[1]),
            "pending": pending,
            "failed": failed,
        }
    except ValueError:
        return unavailable(f"nvidia-smi says {', '.join(row)[:60]}")


def _device(asked: tuple[str, ...], line: str, *, identify: bool) -> dict[str, Any]:
    texts = dict(zip(asked, (part.strip() for part in line.split(","))))
    device = {fact: _value(texts.get(name), read) for name, fact, read in _FIELDS}
    if not identify:
        device["uuid"] = unavailable(LEFT_OUT)
    return device


def _value(text: Any, read: Callable[[str], Any]) -> Any:
    if text is None:
        return unavailable("this nvidia-smi does not know the property")
    if not text or text.startswith("["):
        return unavailable(f"nvidia-smi says {text or 'nothing'}")
    try:
        return read(text)
    except (ValueError, KeyError):
        return unavailable(f"nvidia-smi says {text[:40]!r}")
