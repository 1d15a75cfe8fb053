"""Which library files really got loaded."""

from __future__ import annotations

import re

from envcheck.checks.judgement import Judgement, failed, passed, skipped, warned
from envcheck.checks.registry import ENVIRONMENT, check
from envcheck.reading import Facts
from envcheck.wanted import Wanted

_WATCHED = re.compile(r"/lib(cublas|cublasLt|cudnn|cudnn_ops|cudart)[-.][^/]*$")
UNPATH = "Take {folder} out of {variable}: torch brings its own CUDA libraries."
REMOVE = "Remove {path} from the image; the host's own libcuda is handed in with the GPU."


@check(
    "library.shadowing",
    title="CUDA libraries that got loaded",
    scope=ENVIRONMENT,
    looks_at="/proc/self/maps of a process that imported torch, LD_LIBRARY_PATH",
    why="An older cuBLAS or cuDNN of the system can win over the one torch brings.",
    needs=("torch.libraries", "python.prefix", "torch.cuda"),
    remedies=(UNPATH,),
    source="https://github.com/hcnoh/gail-pytorch/issues/5",
    after=("torch.import",),
)
def shadowing(facts: Facts, wanted: Wanted) -> Judgement:
    """Every CUDA library comes from the environment's own folder."""
    loaded = [path for path in facts.texts("torch.libraries") if _WATCHED.search(path)]
    if facts.text("torch.cuda") == "none":
        return skipped("this torch uses no CUDA library")
    if not loaded:
        return skipped("no CUDA library was found among the loaded files")
    prefix = facts.text("python.prefix").rstrip("/") + "/"
    foreign = [path for path in loaded if not path.startswith(prefix) and "-packages/" not in path]
    expected = "all from the environment's own packages"
    if not foreign:
        return passed(f"{len(loaded)} libraries, all its own", expected)
    folder = foreign[0].rpartition("/")[0]
    variable = _variable(facts, folder)
    why = f"Loaded from elsewhere ({variable}): {', '.join(foreign)}."
    judge = warned if wanted.environment is None else failed
    return judge(foreign[0], expected, why, UNPATH.format(folder=folder, variable=variable))


def _variable(facts: Facts, folder: str) -> str:
    variables = facts.table("python.variables") if facts.was_read("python.variables") else {}
    folders = variables.get("LD_LIBRARY_PATH", "").split(":")
    if any(part.rstrip("/") == folder for part in folders if part):
        return "LD_LIBRARY_PATH"
    return "LD_PRELOAD" if folder in variables.get("LD_PRELOAD", "") else "the system's loader"


@check(
    "library.libcuda",
    title="Driver library in the environment",
    scope=ENVIRONMENT,
    looks_at="libcuda.so files in the loader's folders, version of the kernel module",
    why="A libcuda baked into an image beats the host's own and gives error 803.",
    needs=("libraries.libcuda",),
    remedies=(REMOVE,),
    source="https://github.com/NVIDIA/nvidia-docker/issues/1445",
)
def libcuda(facts: Facts, wanted: Wanted) -> Judgement:
    """At most one version, and that of the kernel module."""
    if wanted.device == "cpu":
        return skipped("not needed for --device cpu")
    files = [(f.text("path"), f.version("version")) for f in facts.each("libraries.libcuda")]
    if not files:
        return skipped("there is no libcuda here")
    measured = ", ".join(f"{path} ({version})" for path, version in files)
    seen = sorted({version for _, version in files})
    if not facts.was_read("nvidia.module_version"):
        if len(seen) > 1:
            extra = files[0][0]
            return failed(measured, "one version", "Two driver libraries lie in the loader's "
                          "folders.", REMOVE.format(path=extra))  # fmt: skip
        return skipped("no kernel module is loaded to compare with")
    module = facts.version("nvidia.module_version")
    odd = [path for path, version in files if version != module]
    if odd:
        why = f"{', '.join(odd)} is not of the loaded driver {module}."
        return failed(measured, f"only {module}", why, REMOVE.format(path=odd[0]))
    return passed(measured, module)
