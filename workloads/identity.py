"""What produced a result: versions, device, driver and processor."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import socket
from pathlib import Path
from typing import Any, Optional

from core import jsonio
from kernels import toolchain

ENVIRONMENT_VARIABLE = "TORCHRIG_ENVIRONMENT"
_DISTRIBUTIONS = ("torchvision", "torchaudio", "numpy", "triton")


def environment() -> dict[str, Any]:
    """The environment's own description; empty where it is unmanaged.

    Raises:
        ResultError: the variable names a file that is absent or damaged.
    """
    path = os.environ.get(ENVIRONMENT_VARIABLE)
    return dict(jsonio.read(Path(path))) if path else {}


def identify(device: str) -> dict[str, Any]:
    """Versions and hardware as this process sees them; absent values are None."""
    import torch

    described = environment()
    return {
        "environment": described.get("name", "unmanaged"),
        "managed": bool(described),
        "toolkit_cuda": toolkit_cuda(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "wheel_cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
        "arch_list": torch.cuda.get_arch_list() if device == "cuda" else [],
        **{name: installed(name) for name in _DISTRIBUTIONS},
        "host": socket.gethostname(),
        "cpu": cpu_model(),
        "cpu_threads": os.cpu_count(),
        "interop_threads": torch.get_num_interop_threads(),
        "kernel": platform.release(),
        **(_gpu() if device == "cuda" else {}),
    }


def toolkit_cuda() -> Optional[str]:
    """CUDA of the nvcc that is really here, whatever the table declares; None without one."""
    path, _ = toolchain.find_nvcc(os.environ)
    return toolchain.nvcc_release(path) if path else None


def installed(name: str) -> Optional[str]:
    """Version of an installed distribution, or None."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's model name."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _gpu() -> dict[str, Any]:
    import torch

    index = torch.cuda.current_device()
    properties = torch.cuda.get_device_properties(index)
    major, minor = torch.cuda.get_device_capability(index)
    driver, uuid = _from_nvml(index)
    return {
        "gpu": properties.name,
        "gpu_memory_bytes": properties.total_memory,
        "gpu_capability": f"{major}.{minor}",
        "gpu_multiprocessors": properties.multi_processor_count,
        "gpu_uuid": uuid or _uuid(properties),
        "driver": driver,
    }


def _uuid(properties: Any) -> Optional[str]:
    value = getattr(properties, "uuid", None)
    return f"GPU-{value}" if value else None


def _from_nvml(index: int) -> tuple[Optional[str], Optional[str]]:
    """Driver version and the UUID of torch's device, through NVML where it is present.

    ``CUDA_VISIBLE_DEVICES`` renumbers torch's devices but not NVML's, so the card is found by
    its PCI address as torch reports it, else by position when there is only one.
    """
    try:
        import pynvml
    except ImportError:
        return None, None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None, None
    try:
        driver = _text(pynvml.nvmlSystemGetDriverVersion())
        return driver, _nvml_uuid(pynvml, index)
    except pynvml.NVMLError:
        return None, None
    finally:
        pynvml.nvmlShutdown()


def _nvml_uuid(nvml: Any, index: int) -> Optional[str]:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    if visible.startswith("GPU-"):
        return visible.split(",")[index]
    position = int(visible.split(",")[index]) if visible else index
    return _text(nvml.nvmlDeviceGetUUID(nvml.nvmlDeviceGetHandleByIndex(position)))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
