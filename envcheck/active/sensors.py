"""One GPU's sensors through NVML, found by the PCI bus id that CUDA gives."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional

from envcheck.facts.field import attempt
from envcheck.facts.nvml import throttle_reasons

_MIB = 1024**2


def bus_id(ordinal: int) -> str:
    """PCI bus id of CUDA's device ``ordinal``, whatever CUDA_VISIBLE_DEVICES makes of the order.

    Raises:
        OSError: there is no libcuda, or it refuses.
    """
    library = ctypes.CDLL("libcuda.so.1")
    device, text = ctypes.c_int(), ctypes.create_string_buffer(32)
    steps: tuple[tuple[str, Callable[[], int]], ...] = (
        ("cuInit", lambda: library.cuInit(0)),
        ("cuDeviceGet", lambda: library.cuDeviceGet(ctypes.byref(device), ordinal)),
        ("cuDeviceGetPCIBusId", lambda: library.cuDeviceGetPCIBusId(text, 32, device)),
    )
    for name, call in steps:
        code = call()
        if code:
            raise OSError(f"{name} gave error {code}")
    return text.value.decode("ascii")


class Sensors:
    """NVML's view of one card.

    Raises:
        ImportError: the package nvidia-ml-py is not installed.
        Exception: NVML does not start or does not know the card.
    """

    def __init__(self, bus: str) -> None:
        import pynvml

        self._nvml: Any = pynvml
        self._nvml.nvmlInit()
        self._handle = self._nvml.nvmlDeviceGetHandleByPciBusId(bus.encode("ascii"))
        self._absent = (
            pynvml.NVMLError_NotSupported,
            pynvml.NVMLError_NoPermission,
            pynvml.NVMLError_FunctionNotFound,
        )

    def fixed(self, *, identify: bool) -> dict[str, Any]:
        """What does not change: index, PCI id, highest clocks, limits; the UUID if asked for."""
        nvml = self._nvml

        def ask(name: str, *args: Any, then: Callable[[Any], Any] = lambda value: value) -> Any:
            return attempt(lambda: then(getattr(nvml, name)(self._handle, *args)))

        found = {
            "index": ask("nvmlDeviceGetIndex"),
            "pci_id": ask("nvmlDeviceGetPciInfo", then=_pci_id),
            "driver_version": attempt(lambda: _plain(nvml.nvmlSystemGetDriverVersion())),
            "sm_mhz_max": ask("nvmlDeviceGetMaxClockInfo", nvml.NVML_CLOCK_SM),
            "memory_mhz_max": ask("nvmlDeviceGetMaxClockInfo", nvml.NVML_CLOCK_MEM),
            "memory_bus_bits": ask("nvmlDeviceGetMemoryBusWidth"),
            "power_limit_w": ask("nvmlDeviceGetPowerManagementLimit", then=_watts),
            "pcie_generation_max": ask("nvmlDeviceGetMaxPcieLinkGeneration"),
            "pcie_width_max": ask("nvmlDeviceGetMaxPcieLinkWidth"),
        }
        if identify:
            found["uuid"] = ask("nvmlDeviceGetUUID", then=_plain)
        return found

    def sample(self) -> dict[str, Any]:
        """One reading of every gauge; None for what this card does not have.

        Raises:
            Exception: NVML stopped answering.
        """
        nvml = self._nvml
        used = self._gauge("nvmlDeviceGetMemoryInfo")
        power = self._gauge("nvmlDeviceGetPowerUsage")
        rates = self._gauge("nvmlDeviceGetUtilizationRates")
        mask = self._gauge("nvmlDeviceGetCurrentClocksThrottleReasons")
        return {
            "sm_mhz": self._gauge("nvmlDeviceGetClockInfo", nvml.NVML_CLOCK_SM),
            "memory_mhz": self._gauge("nvmlDeviceGetClockInfo", nvml.NVML_CLOCK_MEM),
            "power_w": None if power is None else _watts(power),
            "temperature_c": self._gauge("nvmlDeviceGetTemperature", nvml.NVML_TEMPERATURE_GPU),
            "utilisation_percent": None if rates is None else rates.gpu,
            "memory_used_mib": None if used is None else round(used.used / _MIB),
            "pcie_generation": self._gauge("nvmlDeviceGetCurrPcieLinkGeneration"),
            "pcie_width": self._gauge("nvmlDeviceGetCurrPcieLinkWidth"),
            "throttle": None if mask is None else throttle_reasons(mask),
        }

    def _gauge(self, name: str, *args: Any) -> Optional[Any]:
        try:
            return getattr(self._nvml, name)(self._handle, *args)
        except (AttributeError, *self._absent):  # an older nvidia-ml-py lacks some functions
            return None


def _pci_id(pci: Any) -> str:
    return f"{pci.pciDeviceId & 0xFFFF:04x}:{pci.pciDeviceId >> 16:04x}"


def _plain(value: Any) -> Any:
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value


def _watts(milliwatts: int) -> float:
    return round(milliwatts / 1000, 1)
