"""torchvision's nms, imported without torch's compiler where nothing asks for it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

_COMPILER = "torch._dynamo"
_ANSWERS = {f"{_COMPILER}.utils": {"is_compile_supported": lambda _device: False}}


class _StandIn(ModuleType):
    """A module that answers what it knows and becomes the real one for everything else."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        _take_away()
        return getattr(importlib.import_module(self.__name__), name)


def nms() -> Any:
    """``torchvision.ops.nms``.

    Newer torchvisions import torch._dynamo for one question that only roi_align asks, which takes
    longer than importing torch itself. Any other use of it gets the real module.

    Raises:
        Exception: whatever importing torchvision raises.
    """
    spec = None if _COMPILER in sys.modules else importlib.util.find_spec(_COMPILER)
    if spec is None:
        return importlib.import_module("torchvision.ops").nms
    for name in (_COMPILER, *_ANSWERS):
        stand_in = _StandIn(name)
        stand_in.__dict__.update(_ANSWERS.get(name, {}))
        sys.modules[name] = stand_in
    sys.modules[_COMPILER].__path__ = list(spec.submodule_search_locations or ())
    try:
        return importlib.import_module("torchvision.ops").nms
    finally:
        _take_away()


def _take_away() -> None:
    for name in (_COMPILER, *_ANSWERS):
        if isinstance(sys.modules.get(name), _StandIn):
            del sys.modules[name]
