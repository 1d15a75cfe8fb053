"""torch itself: it imports, it is the version asked for, and what it brings works."""

from __future__ import annotations

from core import versions
from envcheck import texts
from envcheck.checks.judgement import Judgement, failed, info, passed, skipped, warned
from envcheck.checks.registry import ENVIRONMENT, MAJOR, check
from envcheck.reading import Facts
from envcheck.wanted import Wanted

IMPORTED = ("torch.import",)
REBUILD = "Build the environment again from its lock: `invoke build --env {name}`."
OTHER_ENVIRONMENT = "Use an environment whose torch was built for this card."
ADDON = "Install the build of the add-on that belongs to this torch, or remove the add-on."
AUDIO = "Install the torchaudio that belongs to this torch."
RUNTIME = (
    "Take the folder of the other CUDA runtime out of LD_LIBRARY_PATH and LD_PRELOAD, or install "
    "the wheel that was built for it."
)
CUDNN = "Install the nvidia-cudnn package that this torch names, and no other."


@check(
    "torch.import",
    title="torch imports",
    scope=ENVIRONMENT,
    looks_at="`import torch` in a process of its own",
    why="Everything else in the environment stands on it.",
    needs=("torch.import",),
    remedies=("The remedy of the cause that the error's text names.",),
    source="https://github.com/zai-org/ChatGLM-6B/issues/921",
    demanded=True,
)
def imports(facts: Facts, wanted: Wanted) -> Judgement:
    """It imports; otherwise the text's cause, with the folder that got in the way."""
    del wanted
    text = facts.text("torch.import")
    if text == "ok":
        return passed("imported", "imported")
    cause = texts.classify(text)
    reason, remedy = cause.reason, cause.remedy
    if cause.name == "library shadowing" and facts.was_read("libraries.on_library_path"):
        found = ", ".join(facts.texts("libraries.on_library_path"))
        reason += f" LD_LIBRARY_PATH brings {found}." if found else ""
    return failed(texts.first_line(text), "imported", reason, remedy)


@check(
    "torch.version",
    title="torch version",
    scope=ENVIRONMENT,
    looks_at="torch.__version__",
    why="A result is worth nothing under another version's name.",
    needs=("torch.version",),
    remedies=(REBUILD,),
    after=IMPORTED,
    demanded=True,
)
def version(facts: Facts, wanted: Wanted) -> Judgement:
    """Exactly the table's version."""
    found, expected = facts.version("torch.version"), wanted.expected("torch")
    if expected is None:
        return info(found, "any", "Unmanaged: no version was asked for.")
    if found == expected or found.partition("+")[0] == expected:
        return passed(found, expected)
    remedy = REBUILD.format(name=wanted.expected("name") or "NAME")
    return failed(found, expected, "Another torch is installed.", remedy)


@check(
    "torch.cuda",
    title="CUDA of the wheel",
    scope=ENVIRONMENT,
    looks_at="torch.version.cuda",
    why="Toolkit, wheel and driver each have a CUDA; this one is the runtime that torch brings.",
    needs=("torch.cuda",),
    remedies=(REBUILD,),
    source="https://github.com/pytorch/pytorch/issues/155790",
    after=IMPORTED,
    demanded=True,
)
def cuda(facts: Facts, wanted: Wanted) -> Judgement:
    """The table's wheel CUDA."""
    found, expected = facts.text("torch.cuda"), wanted.expected("wheel_cuda")
    if expected is None:
        return info(found, "any", "Unmanaged: no CUDA was asked for.")
    if found != "none" and versions.major_minor(facts.version("torch.cuda")) == (
        versions.major_minor(expected)
    ):
        return passed(found, expected)
    remedy = REBUILD.format(name=wanted.expected("name") or "NAME")
    why = "This torch was built for the CPU only." if found == "none" else "Another build of torch."
    return failed(found, expected, why, remedy)


@check(
    "torch.cuda_loaded",
    title="CUDA runtime that got loaded",
    scope=ENVIRONMENT,
    looks_at="cudaRuntimeGetVersion of the loaded libcudart, torch.version.cuda",
    why="Another runtime than the wheel's own can be loaded without a word.",
    needs=("torch.cuda", "torch.cuda_loaded"),
    remedies=(RUNTIME,),
    source="https://github.com/zai-org/ChatGLM-6B/issues/921",
    after=IMPORTED,
)
def cuda_loaded(facts: Facts, wanted: Wanted) -> Judgement:
    """The CUDA that torch was built for."""
    del wanted
    loaded, built = facts.version("torch.cuda_loaded"), facts.version("torch.cuda")
    if versions.major_minor(loaded) == versions.major_minor(built):
        return passed(loaded, built)
    return failed(loaded, built, "The CUDA runtime that was loaded is not the wheel's.", RUNTIME)


@check(
    "torch.cudnn",
    title="cuDNN built and loaded",
    scope=ENVIRONMENT,
    looks_at="the cuDNN that torch loaded, the one it was compiled with, the nvidia-cudnn package",
    why="A library file swapped under torch changes speed threefold without an error.",
    needs=("torch.cudnn",),
    remedies=(CUDNN,),
    source="https://github.com/pytorch/pytorch/issues/92288",
    after=IMPORTED,
)
def cudnn(facts: Facts, wanted: Wanted) -> Judgement:
    """The installed package's, of the compiled major version and not older than it."""
    del wanted
    loaded, built = cudnn_version(facts.count("torch.cudnn")), _built(facts)
    measured = f"{loaded}, built with {built or 'not recorded'}"
    named = [v for k, v in facts.table("packages").items() if k.startswith("nvidia-cudnn")]
    expected = " or ".join(named) or built or "any"
    if named and not any(item.startswith(loaded) for item in named):
        why = "The cuDNN that was loaded is not the one installed for torch."
        return failed(measured, expected, why, CUDNN)
    if built and not _serves(loaded, built):
        why = f"torch was built with cuDNN {built}; what was loaded is older or of another major."
        return failed(measured, expected, why, CUDNN)
    if not named:
        return info(measured, expected, "cuDNN comes with torch or the system, not as a package.")
    return passed(measured, expected)


def _built(facts: Facts) -> str:
    return facts.version("torch.cudnn_built") if facts.was_read("torch.cudnn_built") else ""


def _serves(loaded: str, built: str) -> bool:
    ours, theirs = versions.release(loaded), versions.release(built)
    return ours[0] == theirs[0] and ours >= theirs


def cudnn_version(number: int) -> str:
    """CuDNN's number as a version: 8500 is 8.5.0, 91002 is 9.10.2."""
    step = 1000 if number < 90000 else 10000
    return f"{number // step}.{number % step // 100}.{number % 100}"


@check(
    "torch.numpy",
    title="NumPy round trip",
    scope=ENVIRONMENT,
    looks_at="an array sent to torch, doubled and read back",
    why="With NumPy 2 under an old torch the import only warns; the conversion fails.",
    needs=("torch.numpy",),
    remedies=(texts.classify("Numpy is not available").remedy,),
    source="https://github.com/pytorch/pytorch/issues/132179",
    after=IMPORTED,
    demanded=True,
)
def numpy(facts: Facts, wanted: Wanted) -> Judgement:
    """The values come back."""
    del wanted
    return _ok_or_cause(facts.text("torch.numpy"), "values come back")


@check(
    "torch.nms",
    title="torchvision's nms called",
    scope=ENVIRONMENT,
    looks_at="torchvision.ops.nms on three boxes",
    why="A torchvision for another torch imports and then lacks its operators.",
    needs=("torch.nms",),
    remedies=(texts.classify("operator torchvision::nms does not exist").remedy,),
    source="https://github.com/vladmandic/sdnext/issues/3531",
    after=(*IMPORTED, "torch.pairing"),
)
def nms(facts: Facts, wanted: Wanted) -> Judgement:
    """It keeps the right boxes."""
    del wanted
    return _ok_or_cause(facts.text("torch.nms"), "keeps boxes 0 and 2")


@check(
    "torch.operation",
    title="One real operation on the CPU",
    scope=ENVIRONMENT,
    looks_at="a 64 x 64 FP32 matrix product against the same in integers",
    why="Importing proves little; computing proves it.",
    needs=("torch.operation_cpu",),
    remedies=("Build the environment again; where it fails again, suspect memory or CPU.",),
    after=IMPORTED,
    demanded=True,
)
def operation(facts: Facts, wanted: Wanted) -> Judgement:
    """Equal to the integer product."""
    del wanted
    text = facts.text("torch.operation_cpu")
    if text == "ok":
        return passed("exact", "exact")
    return failed(
        texts.first_line(text),
        "exact",
        "torch computes wrong values on this CPU.",
        "Build the environment again; where it fails again, suspect memory or CPU.",
    )


def _ok_or_cause(text: str, expected: str) -> Judgement:
    if text == "ok":
        return passed("ok", expected)
    cause = texts.classify(text)
    return failed(texts.first_line(text), expected, cause.reason, cause.remedy)


@check(
    "python.version",
    title="Python version",
    scope=ENVIRONMENT,
    looks_at="the running interpreter",
    why="A comparison of two torch versions should hold Python equal.",
    needs=("python.version",),
    remedies=(REBUILD,),
    demanded=True,
)
def python(facts: Facts, wanted: Wanted) -> Judgement:
    """The major and minor version of the environment's description."""
    found, expected = facts.version("python.version"), wanted.expected("python")
    if expected is None:
        return info(found, "any", "Unmanaged: no Python was asked for.")
    if versions.major_minor(found) == versions.major_minor(expected):
        return passed(found, expected)
    remedy = REBUILD.format(name=wanted.expected("name") or "NAME")
    return failed(found, expected, "Another Python runs here.", remedy)


@check(
    "torch.audio",
    title="torchaudio imports",
    scope=ENVIRONMENT,
    looks_at="`import torchaudio`, where the environment asks for it",
    why="A torchaudio for another torch fails when it is imported.",
    needs=("packages",),
    remedies=(AUDIO,),
    after=(*IMPORTED, "torch.pairing"),
)
def audio(facts: Facts, wanted: Wanted) -> Judgement:
    """It imports where it is installed."""
    if "torchaudio" not in facts.table("packages") and not wanted.expected("torchaudio"):
        return skipped("the environment has no torchaudio")
    text = facts.text("torch.audio")
    if text == "ok":
        return passed("imported", "imported")
    return failed(texts.first_line(text), "imported", "torchaudio does not import.", AUDIO)


@check(
    "torch.addons",
    title="Triton, xFormers, FlashAttention",
    scope=ENVIRONMENT,
    severity=MAJOR,
    looks_at="the import of each that is installed",
    why="A compiled add-on made for another torch is present and unusable.",
    needs=("torch.addons",),
    remedies=(ADDON,),
    source="https://github.com/Dao-AILab/flash-attention/issues/1783",
    after=IMPORTED,
)
def addons(facts: Facts, wanted: Wanted) -> Judgement:
    """Those present import; an unusable one is a warning and never a failure."""
    del wanted
    found = facts.table("torch.addons")
    unusable = {name: text for name, text in found.items() if text != "ok"}
    if not found:
        return skipped("none of them is installed")
    if not unusable:
        return passed(", ".join(found), "usable where present")
    told = [
        f"{name}: {texts.built_for(text) or texts.first_line(text)}"
        for name, text in unusable.items()
    ]
    names = ", ".join(unusable)
    return warned(f"unusable: {names}", "usable where present", "; ".join(told) + ".", ADDON)
