"""The compiled operators as Python functions. Autograd and ``torch.compile`` see through them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from kernels import store
from kernels.archs import number
from kernels.errors import ExtensionUnavailable
from kernels.recipe import LIBRARY, source_hash
from kernels.toolchain import import_torch

_BUILD = "Run `python -m kernels build` in this environment."


@dataclass(frozen=True)
class Loaded:
    """The library in this process.

    ``cuda`` is whether it holds CUDA code; where it does not, ``reason`` and ``remedy`` say why.
    """

    path: Path
    cuda: bool
    key: str
    arch_list: tuple[str, ...] = ()
    reason: str = ""
    remedy: str = ""


_loaded: Optional[Loaded] = None


def load() -> Loaded:
    """Load the library built for exactly this torch, CUDA, ABI and source; once per process.

    Raises:
        ExtensionUnavailable: there is none, or it cannot be loaded.
    """
    global _loaded  # noqa: PLW0603 - operators are registered once per process
    if _loaded is None:
        _loaded = _load(import_torch())
    return _loaded


def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))`` for a float16, bfloat16, float32 or float64 tensor of any shape.

    The result has the shape, dtype and device of ``x``, and its strides where memory is dense.

    Raises:
        ExtensionUnavailable: see ``load``.
    """
    return _operators().sigmoid(x)


def sigmoid_gate(x: Any, y: Any, bias: Any) -> Any:
    """``sigmoid(x) * y + bias`` in one pass: ``x`` and ``y`` of shape ``(..., n)``, bias ``(n,)``.

    Raises:
        ExtensionUnavailable: see ``load``.
    """
    return _operators().sigmoid_gate(x, y, bias)


def _operators() -> Any:
    import torch

    if _loaded is None:
        load()
    return torch.ops.torchrig


def _load(torch: Any) -> Loaded:
    folder, record = _find(torch)
    path = folder / LIBRARY
    try:
        torch.ops.load_library(str(path))
    except (OSError, RuntimeError) as error:
        raise ExtensionUnavailable(
            f"{path} cannot be loaded: {error}.",
            "Run `python -m kernels build --force` in this environment.",
        ) from error
    return Loaded(path, record.cuda, record.key, record.arch_list, record.reason, record.remedy)


def _find(torch: Any) -> tuple[Path, store.Record]:
    wanted = _identity(torch)
    found = [pair for root in store.roots() for pair in store.records(root)]
    fitting = [pair for pair in found if pair[1].identity == wanted]
    whole = [pair for pair in fitting if store.is_whole(*pair)]
    if not whole:
        raise ExtensionUnavailable(_why_none(wanted, found, fitting), _BUILD)
    if len(whole) == 1:
        return whole[0]
    capability = _capability(torch)
    return max(whole, key=lambda pair: _suits(pair[1], capability))


def _identity(torch: Any) -> store.Identity:
    import platform

    return store.Identity(
        str(torch.__version__),
        torch.version.cuda,
        bool(torch.compiled_with_cxx11_abi()),
        platform.machine(),
        source_hash(),
    )


def _why_none(wanted: store.Identity, found: list[Any], fitting: list[Any]) -> str:
    places = " or ".join(str(root) for root in store.roots())
    if fitting:
        return f"The library in {fitting[0][0]} is not the one that was built there."
    others = sorted({record.identity.torch for _, record in found})
    beside = f"; there are builds for torch {', '.join(others)}" if others else ""
    return (
        f"No build for torch {wanted.torch} (CUDA {wanted.torch_cuda}, "
        f"ABI {int(wanted.cxx11_abi)}) and these sources lies in {places}{beside}."
    )


def _capability(torch: Any) -> Optional[tuple[int, int]]:
    if not torch.cuda.is_available():
        return None
    major, minor = torch.cuda.get_device_capability()
    return major, minor


def _suits(record: store.Record, capability: Optional[tuple[int, int]]) -> tuple[int, int]:
    """Best first: code for this GPU, then code of its major version or PTX, then any CUDA code."""
    if capability is None or not record.cuda:
        return (0, int(record.cuda))
    targets = [number(arch) for arch in record.arch_list]
    if capability in targets:
        return (3, len(targets))
    if any(t[0] == capability[0] and t <= capability for t in targets):
        return (2, len(targets))
    return (1, len(targets))
