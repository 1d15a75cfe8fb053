"""GPUs through NVML (package nvidia-ml-py)."""

from __future__ import annotations

from typing import Any, Callable

from core import versions
from envcheck.facts.field import attempt, unavailable

LEFT_OUT = "left out: it identifies the card"
_COMPUTE_MODES = {0: "default", 1: "exclusive thread", 2: "prohibited", 3: "exclusive process"}
_THROTTLE = {
    0x1: "idle",
    0x2: "application clocks",
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal",
    0x40: "hardware thermal",
    0x80: "power brake",
    0x100: "display clocks",
}


def collect(*, identify: bool) -> dict[str, Any]:
    """``state`` (ok, absent, failed), ``text``, versions and ``devices``."""
    try:
        import pynvml
    except ImportError:
        return _nothing("absent", "the package nvidia-ml-py is not installed")
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError_LibraryNotFound:
        return _nothing("absent", "there is no NVML library (libnvidia-ml.so.1)")
    except pynvml.NVMLError as error:
        return _nothing("failed", f"NVML: {error}")
    try:
        return _read(pynvml, identify=identify)
    finally:
        pynvml.nvmlShutdown()


def throttle_reasons(mask: int) -> list[str]:
    """The names of the bits that are set, an unknown bit by its number."""
    bits = [1 << place for place in range(mask.bit_length()) if mask >> place & 1]
    return [_THROTTLE.get(bit, f"bit {bit:#x}") for bit in bits]


def _nothing(state: str, text: str) -> dict[str, Any]:
    missing = unavailable(text)
    return {
        "source": "nvml",
        "state": state,
        "text": text,
        "driver_version": missing,
        "cuda_level": missing,
        "devices": missing,
    }


def _read(nvml: Any, *, identify: bool) -> dict[str, Any]:
    return {
        "source": "nvml",
        "state": "ok",
        "text": "",
        "driver_version": attempt(lambda: _plain(nvml.nvmlSystemGetDriverVersion())),
        "cuda_level": attempt(
            lambda: versions.cuda_from_number(nvml.nvmlSystemGetCudaDriverVersion_v2())
        ),
        "devices": attempt(
            lambda: [
                _device(nvml, nvml.nvmlDeviceGetHandleByIndex(index), identify=identify)
                for index in range(nvml.nvmlDeviceGetCount())
            ]
        ),
    }


def _device(nvml: Any, handle: Any, *, identify: bool) -> dict[str, Any]:
    def ask(name: str, *args: Any, then: Callable[[Any], Any] = _plain) -> Any:
        return attempt(lambda: then(getattr(nvml, name)(handle, *args)))

    return {
        "name": ask("nvmlDeviceGetName"),
        "uuid": ask("nvmlDeviceGetUUID") if identify else unavailable(LEFT_OUT),
        "pci_id": ask("nvmlDeviceGetPciInfo", then=lambda pci: _pci_id(pci.pciDeviceId)),
        "compute_capability": ask(
            "nvmlDeviceGetCudaComputeCapability", then=lambda pair: f"{pair[0]}.{pair[1]}"
        ),
        "cores": ask("nvmlDeviceGetNumGpuCores"),
        "memory_bus_bits": ask("nvmlDeviceGetMemoryBusWidth"),
        "memory_bytes": ask("nvmlDeviceGetMemoryInfo", then=lambda memory: memory.total),
        "memory_used_bytes": ask("nvmlDeviceGetMemoryInfo", then=lambda memory: memory.used),
        "persistence": ask("nvmlDeviceGetPersistenceMode", then=bool),
        "compute_mode": ask(
            "nvmlDeviceGetComputeMode", then=lambda mode: _COMPUTE_MODES.get(mode, f"mode {mode}")
        ),
        "mig": ask("nvmlDeviceGetMigMode", then=lambda pair: bool(pair[0])),
        "ecc": ask("nvmlDeviceGetEccMode", then=lambda pair: bool(pair[0])),
        "uncorrected_errors": ask("nvmlDeviceGetTotalEccErrors", 1, 1),
        "remapped_rows": ask("nvmlDeviceGetRemappedRows", then=_remapped),
        "processes": ask("nvmlDeviceGetComputeRunningProcesses", then=len),
        **_state(nvml, ask),
    }


def _state(nvml: Any, ask: Callable[..., Any]) -> dict[str, Any]:
    sm = nvml.NVML_CLOCK_SM
    watts = _watts
    return {
        "power_limit_w": ask("nvmlDeviceGetPowerManagementLimit", then=watts),
        "power_default_w": ask("nvmlDeviceGetPowerManagementDefaultLimit", then=watts),
        "power_draw_w": ask("nvmlDeviceGetPowerUsage", then=watts),
        "temperature_c": ask("nvmlDeviceGetTemperature", nvml.NVML_TEMPERATURE_GPU),
        "temperature_slowdown_c": ask(
            "nvmlDeviceGetTemperatureThreshold", nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
        ),
        "fan_percent": ask("nvmlDeviceGetFanSpeed"),
        "sm_clock_mhz": ask("nvmlDeviceGetClockInfo", sm),
        "sm_clock_max_mhz": ask("nvmlDeviceGetMaxClockInfo", sm),
        "sm_clock_set_mhz": ask("nvmlDeviceGetApplicationsClock", sm),
        "sm_clock_set_default_mhz": ask("nvmlDeviceGetDefaultApplicationsClock", sm),
        "throttle_reasons": ask("nvmlDeviceGetCurrentClocksThrottleReasons", then=throttle_reasons),
        "performance_state": ask("nvmlDeviceGetPerformanceState"),
        "utilisation_percent": ask("nvmlDeviceGetUtilizationRates", then=lambda rates: rates.gpu),
        "pcie_generation": ask("nvmlDeviceGetCurrPcieLinkGeneration"),
        "pcie_generation_max": ask("nvmlDeviceGetMaxPcieLinkGeneration"),
        "pcie_width": ask("nvmlDeviceGetCurrPcieLinkWidth"),
        "pcie_width_max": ask("nvmlDeviceGetMaxPcieLinkWidth"),
    }


def _plain(value: Any) -> Any:
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value


def _pci_id(number: int) -> str:
    return f"{number & 0xFFFF:04x}:{number >> 16:04x}"


def _watts(milliwatts: int) -> float:
    return round(milliwatts / 1000, 1)


def _remapped(rows: Any) -> dict[str, Any]:
    corrected, uncorrected, pending, failed = rows
    return {
        "corrected": corrected,
        "uncorrected": uncorrected,
        "pending": bool(pending),
        "failed": bool(failed),
    }
