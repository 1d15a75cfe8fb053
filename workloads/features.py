"""Feature tests: what this torch, this card and this machine can do. No version is compared."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sysconfig
from pathlib import Path
from typing import Any, Optional, Sequence

from workloads.base import Obstacle, skipped, unsupported

_COMPILERS = ("g++", "c++", "clang++")


def has(owner: Any, name: str) -> bool:
    """Whether an attribute exists; some torch modules answer a wrong name with AssertionError."""
    try:
        getattr(owner, name)
    except (AttributeError, AssertionError):
        return False
    return True


def runs_on(arch_list: Sequence[str], capability: tuple[int, int]) -> Optional[str]:
    """The entry of a wheel's architecture list that serves a card, or None.

    Machine code (``sm_86``) serves cards of the same major version and at least its minor one;
    PTX (``compute_90``) serves every card that is not older. ``a`` and ``f`` variants serve
    their own architecture only.
    """
    entries = [
        (match.group(1), (int(match.group(2)), int(match.group(3))), bool(match.group(4)), entry)
        for entry in arch_list
        for match in [re.fullmatch(r"(sm|compute)_(\d+)(\d)([af]?)", entry)]
        if match
    ]
    native = [
        (number, entry)
        for kind, number, exact, entry in entries
        if kind == "sm"
        and number[0] == capability[0]
        and (number == capability if exact else number <= capability)
    ]
    ptx = [
        (number, entry)
        for kind, number, exact, entry in entries
        if kind == "compute" and not exact and number <= capability
    ]
    usable = native or ptx
    return max(usable)[1] if usable else None


def device_obstacle(device: str) -> Optional[Obstacle]:
    """Why nothing can run on a device here, or None."""
    if importlib.util.find_spec("torch") is None:
        return skipped("torch is not installed here", "Run this inside an environment.")
    if device != "cuda":
        return None
    import torch

    if not torch.cuda.is_available():
        return skipped(
            "torch sees no CUDA device",
            "Run `python -m envcheck --device cuda` for the cause, or ask for --device cpu.",
        )
    return card_obstacle(torch.cuda.get_arch_list(), torch.cuda.get_device_capability())


def card_obstacle(arch_list: Sequence[str], capability: tuple[int, int]) -> Optional[Obstacle]:
    """Why a torch build has no code for a card, or None."""
    if runs_on(arch_list, capability):
        return None
    return unsupported(
        f"this torch has no code for compute capability {capability[0]}.{capability[1]}"
        f" (it has {' '.join(arch_list)})",
        "Use an environment whose torch was built for this card.",
    )


def compile_obstacle(device: str) -> Optional[Obstacle]:
    """Why ``torch.compile`` cannot run here, or None."""
    import torch

    if not has(torch, "compile"):
        return unsupported("this torch has no torch.compile")
    if compiler() is None:
        return skipped("needs a C++ compiler", "Install g++ (Debian and Ubuntu: g++).")
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        return skipped("needs the Python headers", "Install them (Debian and Ubuntu: python3-dev).")
    if device == "cpu" and re.search(r"\s", torch.__file__):
        return skipped(
            "needs a torch whose path holds no white space: Inductor links without quotes",
            "Move the environment to a path without spaces.",
        )
    if device == "cuda" and importlib.util.find_spec("triton") is None:
        return skipped("needs triton", "Install the triton that this torch names.")
    return None


def compiler() -> Optional[str]:
    """Path of the C++ compiler that torch would call, or None."""
    names = (os.environ["CXX"],) if os.environ.get("CXX") else _COMPILERS
    return next((path for path in map(shutil.which, names) if path), None)


def torchvision_obstacle() -> Optional[Obstacle]:
    """Why torchvision's models cannot be used here, or None."""
    if importlib.util.find_spec("torchvision") is None:
        return skipped("needs torchvision", "Install the torchvision that pairs with this torch.")
    return None
