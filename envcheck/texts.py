"""Error texts that people meet, told apart by their cause.

A text names a cause only where its wording does; numbers in it vary and are picked out.
Sources stand in docs/envcheck.md beside the checks that use them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core import versions


@dataclass(frozen=True)
class Cause:
    """What an error text means: a short name, the cause, and the remedy."""

    name: str
    reason: str
    remedy: str


_ROWS: tuple[tuple[str, str, str, str], ...] = (
    (
        "half-updated driver",
        r"driver/library version mismatch",
        "The user-space driver was updated while the old kernel module stayed loaded.",
        "Reboot (or reload the nvidia modules), then hold the driver packages at one version.",
    ),
    (
        "driver not loaded",
        r"couldn't communicate with the nvidia driver|driver not loaded",
        "The NVIDIA kernel module is not loaded.",
        "Load the module with `modprobe nvidia` and read what the kernel log says.",
    ),
    (
        "no container GPU runtime",
        r"could not select device driver",
        "The engine has no way to hand a GPU to a container.",
        "Install the NVIDIA container toolkit and register it with the engine.",
    ),
    (
        "blocked by WSL",
        r"gpu access blocked by the operating system|named symbol not found",
        "WSL2 passes the GPU by a route that this driver and toolkit do not fit.",
        "Update the Windows driver and WSL (`wsl --update`); install no Linux driver inside WSL.",
    ),
    (
        "fabric manager",
        r"error 802|system not yet initialized",
        "The NVSwitch fabric is not up: this host needs the fabric manager service.",
        "Start it: `systemctl enable --now nvidia-fabricmanager`, in the driver's own version.",
    ),
    (
        "two driver libraries",
        r"error 803|unsupported display driver / cuda driver combination",
        "The driver library in use and the kernel driver are of different versions.",
        "Remove the libcuda that the image brings, so that the host's own is used.",
    ),
    (
        "forward compatibility",
        r"error 804|forward compatibility was attempted on non.supported",
        "A CUDA compatibility library is in use on a card that does not support it (GeForce).",
        "Take the CUDA compat folder out of the library path, or update the host's driver.",
    ),
    (
        "driver too old",
        r"driver on your system is too old|driver version is insufficient",
        "The host's driver is older than this build of torch needs.",
        "Update the NVIDIA driver on the host.",
    ),
    (
        "image needs newer driver",
        r"unsatisfied condition: cuda>=",
        "The base image demands a newer CUDA than the host's driver offers.",
        "Update the NVIDIA driver on the host, or take a base image of an older CUDA.",
    ),
    (
        "no driver",
        r"found no nvidia driver",
        "There is no NVIDIA driver here.",
        "Start the container with the GPU, or install the driver on the host.",
    ),
    (
        "library shadowing",
        r"undefined symbol: cublas|libcublas\S*: undefined symbol|libcudnn\S*: undefined symbol",
        "An older CUDA library on the system was loaded instead of the one torch brings.",
        "Take the folder of the older library out of LD_LIBRARY_PATH.",
    ),
    (
        "add-on for another torch",
        r"undefined symbol: _zn|was built for:",
        "A compiled add-on was built for another version of torch.",
        "Install the add-on's build for this torch.",
    ),
    (
        "no NumPy bridge",
        r"numpy is not available|_array_api not found|compiled using numpy 1",
        "This torch was built for NumPy 1 and NumPy 2 is installed.",
        'Install "numpy<2" in this environment.',
    ),
    (
        "torchvision for another torch",
        r"operator torchvision::nms does not exist|couldn't load custom c\+\+ ops",
        "torchvision was built for another torch.",
        "Install the torchvision that belongs to this torch.",
    ),
    (
        "no torch",
        r"no module named 'torch'",
        "This interpreter has no torch.",
        "Run envcheck with the environment's own Python, or judge the host with --host.",
    ),
    (
        "no pkg_resources",
        r"no module named 'pkg_resources'",
        "This torch needs pkg_resources, which setuptools 82 removed.",
        'Install "setuptools<81" in this environment.',
    ),
    (
        "shared memory",
        r"bus error",
        "A process ran out of shared memory.",
        "Give the container more shared memory (--shm-size 8g).",
    ),
    (
        "no kernel for this card",
        r"no kernel image is available|is not compatible with the current pytorch",
        "This build of torch holds no code for this card.",
        "Use an environment whose torch was built for this card.",
    ),
    (
        "host compiler too new",
        r"unsupported gnu version",
        "nvcc does not accept a host compiler this new.",
        "Use a base with the compiler that this CUDA accepts.",
    ),
    (
        "compiler older than the card",
        r"unsupported gpu architecture|unknown cuda arch",
        "The compiler or torch does not know this GPU architecture.",
        "Name an older architecture of the same major version, or use a newer CUDA.",
    ),
    (
        "no C compiler",
        r"failed to find c compiler|no working c\+\+ compiler|invalidcxxcompiler",
        "torch.compile found no compiler.",
        "Install a compiler (packages gcc and g++), or name one in CC and CXX.",
    ),
    (
        "no Python headers",
        r"python\.h: no such file",
        "The Python headers are missing.",
        "Install the Python headers (package python3-dev, in this Python's version).",
    ),
    (
        "no CUDA headers",
        r"cuda\.h: no such file",
        "The compiler found no cuda.h for Triton's launcher.",
        "Use a devel base image, or install the Triton that brings its own headers.",
    ),
    (
        "libcuda not found",
        r"libcuda\.so(\.1)?:? cannot (be )?(found|open)|cannot find -lcuda",
        "The loader does not find the driver's libcuda.",
        "Hand it in with the GPU (NVIDIA_DRIVER_CAPABILITIES=compute,utility) and run ldconfig.",
    ),
    (
        "no nvcc",
        r"cuda_home environment variable is not set",
        "There is no CUDA toolkit here.",
        "Use a devel base image, or set CUDA_HOME.",
    ),
    (
        "no ninja",
        r"ninja is required",
        "The ninja executable does not run.",
        "Install ninja, or put its folder on PATH.",
    ),
)
CAUSES = tuple(
    (re.compile(pattern, re.IGNORECASE), Cause(name, reason, remedy))
    for name, pattern, reason, remedy in _ROWS
)
UNKNOWN = Cause(
    "unknown",
    "The text names no cause that this tool knows.",
    "Read the text; run the same command by hand inside the environment to see all of it.",
)


def classify(text: str) -> Cause:
    """The cause that an error text names, or ``UNKNOWN``."""
    for pattern, cause in CAUSES:
        if pattern.search(text):
            return cause
    return UNKNOWN


def found_version(text: str) -> str:
    """The CUDA level in "found version 11040": ``"11.4"``; empty where there is none."""
    match = re.search(r"found version (\d{4,6})", text)
    return versions.cuda_from_number(int(match.group(1))) if match else ""


def built_for(text: str) -> str:
    """What an add-on says it was built for and what is here; empty where it says neither."""
    match = re.search(r"built for:?\s*(.+?)\s*\(you have ([^)]+)\)", text, re.DOTALL)
    return f"built for {match.group(1)}, here is {match.group(2)}" if match else ""


def first_line(text: str, limit: int = 160) -> str:
    """The first line that says something, cut to ``limit`` characters."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else "")[:limit]
