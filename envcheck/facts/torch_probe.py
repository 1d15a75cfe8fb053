"""The torch side of the facts: a process of its own, one JSON line per fact on stdout.

A crash loses only what comes after it; prints of libraries go to stderr. Run as
``python -m envcheck.facts.torch_probe auto|cpu|cuda``.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import json
import logging
import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, TextIO

from core import versions
from envcheck.facts import torchvision_ops
from envcheck.facts.field import attempt, unavailable

_LIBRARIES = re.compile(
    r"/lib(cudart|cublas|cublasLt|cudnn|cudnn_ops|nccl|cuda|nvrtc|cufft|cusolver)[-.][^/]*$"
)
_SIZE = 64
ADDONS = ("triton", "xformers", "flash_attn")


def main(device: str) -> None:
    """Print every fact of the ``torch`` section as ``{"name": ..., "value": ...}``."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        import torch
    except BaseException as error:  # noqa: BLE001 - the text of any failure is the fact
        _tell(stream, "import", f"{type(error).__name__}: {error}")
        return
    _tell(stream, "import", "ok")
    for name, read in _steps(torch, device):
        _tell(stream, name, attempt(read))


def _steps(torch: Any, device: str) -> list[tuple[str, Callable[[], Any]]]:
    steps: list[tuple[str, Callable[[], Any]]] = [
        ("version", lambda: str(torch.__version__)),
        ("cuda", lambda: torch.version.cuda or "none"),
        ("arch_list", lambda: _arch_list(torch)),
        ("compile", lambda: hasattr(torch, "compile")),
        ("pkg_resources_needed", lambda: _names_pkg_resources(torch)),
        ("arch_variable", _arch_variable),
        ("threads", torch.get_num_threads),
        ("cudnn", lambda: _cudnn(torch)),
        ("cudnn_built", lambda: _cudnn_built(torch)),
        ("cuda_loaded", _cuda_loaded),
        ("operation_cpu", lambda: _operation(torch, "cpu")),
        ("numpy", lambda: _numpy(torch)),
    ]
    if device != "cpu":
        steps.append(("available", lambda: _available(torch)))
        steps.append(("devices", lambda: _devices(torch)))
    steps.append(("libraries", loaded_libraries))
    steps.append(("nms", lambda: _nms(torch)))
    steps.append(("audio", _audio))
    steps.append(("addons", _addons))
    return steps


def _tell(stream: TextIO, name: str, value: Any) -> None:
    stream.write(json.dumps({"name": name, "value": value}) + "\n")
    stream.flush()


def _arch_list(torch: Any) -> list[str]:
    flags = getattr(torch._C, "_cuda_getArchFlags", None)  # noqa: SLF001 - works without a GPU
    return (flags() or "").split() if flags else torch.cuda.get_arch_list()


def _names_pkg_resources(torch: Any) -> bool:
    source = Path(torch.__file__).parent / "utils" / "cpp_extension.py"
    text = source.read_text(encoding="utf-8")
    return bool(re.search(r"^\s*(from|import) pkg_resources", text, re.MULTILINE))


def _cudnn(torch: Any) -> Any:
    number = torch.backends.cudnn.version()
    return number if number else unavailable("this torch has no cuDNN")


def _cudnn_built(torch: Any) -> Any:
    """The cuDNN that torch was compiled with: ``9.8.0``."""
    module = getattr(torch._C, "_cudnn", None)  # noqa: SLF001 - the public name gives what is loaded
    if module is None:
        return unavailable("this torch has no cuDNN")
    return ".".join(str(part) for part in module.getCompileVersion())


def _cuda_loaded() -> Any:
    """What the CUDA runtime library in use says of itself; some ask the driver first."""
    paths = [path for path in loaded_libraries() if "/libcudart" in path]
    if not paths:
        return unavailable("no CUDA runtime library is loaded")
    number = ctypes.c_int()
    code = ctypes.CDLL(paths[0]).cudaRuntimeGetVersion(ctypes.byref(number))
    if code:
        return unavailable(f"cudaRuntimeGetVersion of {paths[0]} gives error {code}")
    return versions.cuda_from_number(number.value)


def _arch_variable() -> str:
    """What torch says of $TORCH_CUDA_ARCH_LIST: ``unset``, ``ok`` or its error."""
    if not os.environ.get("TORCH_CUDA_ARCH_LIST"):
        return "unset"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.utils import cpp_extension

        try:
            cpp_extension._get_cuda_arch_flags()  # noqa: SLF001 - what a build calls
        except Exception as error:  # noqa: BLE001 - the text of any failure is the fact
            return f"{type(error).__name__}: {error}"
    return "ok"


def _numpy(torch: Any) -> str:
    import numpy as np

    sent = np.arange(8, dtype=np.float32)
    try:
        back = (torch.from_numpy(sent) * 2).numpy()
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"
    return (
        "ok" if back.tolist() == [2.0 * value for value in range(8)] else "other values came back"
    )


def _nms(torch: Any) -> str:
    try:
        nms = torchvision_ops.nms()
    except ModuleNotFoundError as error:
        if error.name == "torchvision":
            raise
        return f"{type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - the text of any failure is the fact
        return f"{type(error).__name__}: {error}"
    boxes = torch.tensor([[0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 9.0, 8.0], [20.0, 20.0, 30.0, 30.0]])
    try:
        kept = nms(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5).tolist()
    except Exception as error:  # noqa: BLE001 - the text of any failure is the fact
        return f"{type(error).__name__}: {error}"
    return "ok" if kept == [0, 2] else f"kept boxes {kept}, not [0, 2]"


def _audio() -> str:
    try:
        import torchaudio
    except ModuleNotFoundError as error:
        if error.name == "torchaudio":
            raise
        return f"{type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - the text of any failure is the fact
        return f"{type(error).__name__}: {error}"
    return "ok" if torchaudio.__version__ else "no version"


def _addons() -> dict[str, str]:
    """Each optional add-on that is installed: ``ok``, or its error or warning text."""
    present = [name for name in ADDONS if importlib.util.find_spec(name) is not None]
    return {name: _addon(name) for name in present}


class _Listener(logging.Handler):
    """Keeps the texts of what is logged."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())


def _addon(name: str) -> str:
    handler = _Listener(logging.WARNING)
    logging.getLogger().addHandler(handler)
    try:
        importlib.import_module(name)
    except Exception as error:  # noqa: BLE001 - the text of any failure is the fact
        return f"{type(error).__name__}: {error}"
    finally:
        logging.getLogger().removeHandler(handler)
    return "; ".join(text for text in handler.told if "built for" in text) or "ok"


def _operation(torch: Any, device: str) -> str:
    """A matrix product of small whole numbers, exact in FP32, against the integer product."""
    flags = torch.arange(_SIZE * _SIZE).reshape(_SIZE, _SIZE) % 7
    expected = flags @ flags
    values = flags.to(device=device, dtype=torch.float32)
    try:
        actual = (values @ values).to("cpu")
        sums = values.sum(dim=1).to("cpu")
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"
    same = torch.equal(actual.to(torch.int64), expected)
    return "ok" if same and torch.equal(sums.to(torch.int64), flags.sum(dim=1)) else "wrong values"


def _available(torch: Any) -> str:
    """``ok``, or the text with which torch says that it cannot use CUDA."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if torch.cuda.is_available():
            return "ok"
    texts = [str(item.message) for item in caught]
    try:
        torch.cuda.init()
    except Exception as error:  # noqa: BLE001 - the text of any failure is the fact
        texts.append(f"{type(error).__name__}: {error}")
    return "; ".join(dict.fromkeys(texts)) or "torch.cuda.is_available() is False"


def _devices(torch: Any) -> list[dict[str, Any]]:
    if not torch.cuda.is_available():
        raise ValueError("torch.cuda.is_available() is False")
    return [_device(torch, index) for index in range(torch.cuda.device_count())]


def _device(torch: Any, index: int) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        major, minor = torch.cuda.get_device_capability(index)
        return {
            "name": torch.cuda.get_device_name(index),
            "capability": f"{major}.{minor}",
            "operation": attempt(_operation, torch, f"cuda:{index}"),
            "convolution": attempt(_convolution, torch, f"cuda:{index}"),
        }


def _convolution(torch: Any, device: str) -> str:
    """A convolution of ones through cuDNN: every output is the number of taps."""
    images = torch.ones(1, 3, 16, 16, device=device)
    taps = torch.ones(4, 3, 3, 3, device=device)
    try:
        actual = torch.nn.functional.conv2d(images, taps).to("cpu")
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"
    return "ok" if bool((actual == 27.0).all()) else "wrong values"


def loaded_libraries() -> list[str]:
    """Paths of the CUDA libraries that this process has really loaded, sorted."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    paths = {line.split(None, 5)[5] for line in lines if line.count("/") and len(line.split()) > 5}
    return sorted(path for path in paths if _LIBRARIES.search(path))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "auto")
