"""Which driver, which compiler and which architecture belong to which CUDA.

Sources: floors from the CUDA compatibility guide; drivers from the names of the CUDA runfiles
(cuda_12.8.0_570.86.10_linux.run); gcc bounds from CUDA_GCC_VERSIONS in torch's cpp_extension, which
stops at 11.7 in torch 2.8 and goes on to 13.0 in later ones; 8.9 and 9.0 unknown to nvcc 11.7 was
tried; the other first versions of an architecture are common knowledge that nobody here has tried.
"""

from __future__ import annotations

from typing import Optional

from core import versions

# CUDA major: the oldest driver that runs it by minor-version compatibility
FLOORS = {11: "450.80.02", 12: "525.60.13", 13: "580.65.06"}
# CUDA: the driver that came with its general release
RELEASED_WITH = {
    "11.7": "515.43.04",
    "11.8": "520.61.05",
    "12.0": "525.60.13",
    "12.1": "530.30.02",
    "12.2": "535.54.03",
    "12.3": "545.23.06",
    "12.4": "550.54.14",
    "12.5": "555.42.02",
    "12.6": "560.28.03",
    "12.8": "570.86.10",
    "12.9": "575.51.03",
    "13.0": "580.65.06",
}
# From this CUDA on, nvcc accepts gcc up to this major version
_GCC = (
    ((11, 0), 9), ((11, 1), 10), ((11, 4), 11), ((12, 0), 12), ((12, 3), 13), ((12, 8), 14),
    ((13, 0), 15),
)  # fmt: skip
# From this CUDA on, nvcc can make code for this architecture
_ARCHITECTURES = (
    ("7.0", (9, 0)), ("7.5", (10, 0)), ("8.0", (11, 0)), ("8.6", (11, 1)), ("8.7", (11, 4)),
    ("8.9", (11, 8)), ("9.0", (11, 8)), ("10.0", (12, 8)), ("12.0", (12, 8)),
)  # fmt: skip


def level(cuda: str) -> tuple[int, int]:
    """``"12.4"`` gives ``(12, 4)``."""
    return versions.major_minor(cuda)


def needed_driver(cuda: str) -> str:
    """The driver that a CUDA version was released with, in words."""
    major, minor = level(cuda)
    known = RELEASED_WITH.get(f"{major}.{minor}")
    return f"{known} or newer" if known else f"one whose CUDA level is {major}.{minor} or higher"


def runs_by_minor_version(driver: str, cuda: str) -> bool:
    """Whether minor-version compatibility lets ``driver`` run ``cuda``, with limits."""
    floor = FLOORS.get(level(cuda)[0])
    return floor is not None and versions.release(driver) >= versions.release(floor)


def newest_gcc(cuda: str) -> Optional[int]:
    """The newest gcc major version that the nvcc of this CUDA accepts, None where unknown."""
    fitting = [newest for since, newest in _GCC if since <= level(cuda)]
    return fitting[-1] if fitting else None


def unknown_to_nvcc(architectures: list[str], cuda: str) -> list[str]:
    """Those architectures (``8.9``, ``12.0+PTX``) that the nvcc of this CUDA cannot target."""
    since = dict(_ARCHITECTURES)
    return [
        item
        for item in architectures
        if item.partition("+")[0] in since and since[item.partition("+")[0]] > level(cuda)
    ]


def runs_on(capability: str, arch_list: list[str]) -> str:
    """How a card of ``capability`` is served by torch's ``arch_list``.

    Gives the entry that serves it (``"sm_86"``: same major, not newer; ``"compute_90"``: PTX of
    any older version), or an empty text where nothing does.
    """
    card = _digits(capability.replace(".", ""))
    binary = [_arch(item) for item in arch_list if item.startswith("sm_")]
    fitting = [item for item in binary if item[0] == card[0] and item <= card]
    if fitting:
        major, minor = max(fitting)
        return f"sm_{major}{minor}"
    ptx = [_arch(item) for item in arch_list if item.startswith("compute_")]
    older = [item for item in ptx if item <= card]
    return "compute_{}{}".format(*max(older)) if older else ""


def _arch(item: str) -> tuple[int, int]:
    return _digits("".join(c for c in item.partition("_")[2] if c.isdigit()))


def _digits(text: str) -> tuple[int, int]:
    return (int(text[:-1] or 0), int(text[-1:] or 0))
