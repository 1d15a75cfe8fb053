"""Read off this environment what ``plan_build`` needs: torch, nvcc, compilers, architectures."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from kernels.archs import from_sm
from kernels.errors import ExtensionUnavailable
from kernels.plan import Compiler, Facts, newest_gcc

_PROBE_TIMEOUT_S = 60
_SPECIFIC_GCC = range(15, 7, -1)


def gather(environ: Optional[Mapping[str, str]] = None) -> Facts:
    """The facts of this environment.

    Raises:
        ExtensionUnavailable: torch cannot be imported.
    """
    env = os.environ if environ is None else environ
    torch = import_torch()
    nvcc_path, found_by = find_nvcc(env)
    nvcc = nvcc_release(nvcc_path) if nvcc_path else None
    return Facts(
        torch=str(torch.__version__),
        torch_cuda=torch.version.cuda,
        cxx11_abi=bool(torch.compiled_with_cxx11_abi()),
        cxx=_compiler(env.get("CXX") or "g++", env),
        nvcc=nvcc,
        nvcc_path=nvcc_path,
        nvcc_found_by=found_by,
        nvcc_archs=_nvcc_archs(nvcc_path) if nvcc else (),
        gcc_for_nvcc=gcc_candidates(nvcc_path, nvcc, env) if nvcc else (),
        wheel_archs=_wheel_archs(torch),
        accepted_archs=accepted_archs(torch_folder(torch)),
        visible_archs=_visible_archs(torch),
        requested_archs=env.get("TORCH_CUDA_ARCH_LIST"),
    )


def import_torch() -> Any:
    """The torch module.

    Raises:
        ExtensionUnavailable: torch is absent or broken.
    """
    try:
        import torch
    except (ImportError, OSError) as error:
        raise ExtensionUnavailable(
            f"torch cannot be imported: {error}.", "Run this inside an environment with torch."
        ) from error
    return torch


def torch_folder(torch: Any) -> Path:
    """The folder of the installed torch package."""
    return Path(torch.__file__).resolve().parent


def find_nvcc(env: Mapping[str, str]) -> tuple[str, str]:
    """Path of nvcc and what led there: CUDA_HOME, CUDA_PATH, PATH, or the usual folder.

    A variable that is set and leads to no nvcc ends the search: the path is empty.
    """
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if env.get(variable):
            path = Path(env[variable]) / "bin" / "nvcc"
            found = str(path) if os.access(path, os.X_OK) else ""
            return found, f"{variable}={env[variable]}"
    on_path = shutil.which("nvcc", path=env.get("PATH", ""))
    if on_path:
        return on_path, "PATH"
    usual = Path("/usr/local/cuda/bin/nvcc")
    return (str(usual), str(usual.parent)) if os.access(usual, os.X_OK) else ("", "")


def nvcc_release(path: str) -> Optional[str]:
    """``"12.4"`` from ``nvcc --version``; None where it does not run or says nothing."""
    match = re.search(r"release (\d+\.\d+)", _output([path, "--version"]))
    return match.group(1) if match else None


def gcc_candidates(nvcc_path: str, nvcc: str, env: Mapping[str, str]) -> tuple[Compiler, ...]:
    """Host compilers for nvcc: the one it is configured with, then $CXX, g++ and g++-N."""
    newest = newest_gcc(nvcc)
    names = [configured_gcc(nvcc_path), env.get("NVCC_CCBIN", ""), env.get("CXX", ""), "g++"]
    names += [f"g++-{major}" for major in _SPECIFIC_GCC if newest is None or major <= newest]
    found = (_compiler(name, env) for name in names if name)
    return tuple(dict.fromkeys(compiler for compiler in found if compiler))


def configured_gcc(nvcc_path: str) -> str:
    """The compiler that this nvcc itself calls: Debian's packages point it to a fitting one.

    Empty where nvcc does not tell.
    """
    listing = _output([nvcc_path, "--dryrun", "-x", "cu", "-c", os.devnull, "-o", os.devnull])
    match = re.search(r'^#\$ "?([^"\s=]*g(?:cc|\+\+)[^"\s=]*)"? .*-x c\+\+', listing, re.M)
    if match is None or "/" not in match.group(1):
        return ""
    return re.sub(r"gcc(?=[^/]*$)", "g++", match.group(1))


def accepted_archs(torch_root: Path) -> tuple[str, ...]:
    """What this torch's own extension builder accepts, read from its text; empty if unknown.

    Its module is not imported: that needs setuptools, and one old enough for this torch.
    """
    match = re.search(r"supported_arches = (\[[^\]]*\])", extension_builder_text(torch_root))
    return tuple(ast.literal_eval(match.group(1))) if match else ()


def extension_builder_text(torch_root: Path) -> str:
    """The text of torch's own extension builder; empty where there is none."""
    path = torch_root / "utils" / "cpp_extension.py"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _compiler(name: str, env: Mapping[str, str]) -> Optional[Compiler]:
    path = shutil.which(name, path=env.get("PATH", ""))
    if path is None:
        return None
    version = _output([path, "-dumpfullversion", "-dumpversion"]).strip()
    return Compiler(path, version) if re.fullmatch(r"\d+(\.\d+)*", version) else None


def _nvcc_archs(path: str) -> tuple[str, ...]:
    names = _output([path, "--list-gpu-arch"]).split()
    return tuple(arch for arch in map(from_sm, names) if arch)


def _wheel_archs(torch: Any) -> tuple[str, ...]:
    """Architectures of the wheel, with or without a visible GPU; those with PTX only left out."""
    flags = getattr(torch._C, "_cuda_getArchFlags", None)  # noqa: SLF001 - the public one needs a GPU
    text = flags() if flags is not None else ""
    names = (from_sm(name) for name in (text or "").split() if name.startswith("sm_"))
    return tuple(name for name in names if name)


def _visible_archs(torch: Any) -> tuple[str, ...]:
    if not torch.cuda.is_available():
        return ()
    capabilities = map(torch.cuda.get_device_capability, range(torch.cuda.device_count()))
    return tuple(sorted({f"{major}.{minor}" for major, minor in capabilities}))


def _output(argv: Sequence[str]) -> str:
    """Both streams of a probe; empty where it cannot run."""
    try:
        done = subprocess.run(
            list(argv),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=_PROBE_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")
