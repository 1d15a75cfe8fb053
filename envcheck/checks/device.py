"""CUDA as torch sees it, apart from NVML; the card against torch's code; shared memory."""

from __future__ import annotations

from typing import Optional

from envcheck import cuda_levels, texts
from envcheck.checks.judgement import Judgement, failed, info, passed, skipped, warned
from envcheck.checks.registry import ENVIRONMENT, check
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

MIB, GIB = 1024**2, 1024**3
DOCKER_DEFAULT = 64 * MIB
CPU = "not needed for --device cpu"
VISIBLE = "Unset CUDA_VISIBLE_DEVICES, or name a card in it (CUDA_VISIBLE_DEVICES=0)."
CAPABILITIES = (
    "Start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility: without compute the "
    "runtime hands in no libcuda."
)
UVM = "Pass /dev/nvidia-uvm into the container, and load it on the host: `nvidia-modprobe -u -c 0`."
NEEDED_DRIVER = "Update the NVIDIA driver on the host to {needed}."
GIVE_GPU = "Start the environment with a GPU, or say --device cpu."
OTHER_TORCH = (
    "Use an environment whose torch has code for this card (torch's list: {listed}), or say "
    "--device cpu."
)
BROKEN_CARD = "Check the card on the host (`invoke envcheck`), and its kernel log for Xid errors."
SHM = "Start the container with more shared memory: --shm-size={size}g (or --ipc=host)."


@check(
    "device.nvml",
    title="NVML inside the environment",
    scope=ENVIRONMENT,
    looks_at="NVML, else nvidia-smi",
    why="NVML and CUDA are two things: either can work without the other.",
    needs=("nvidia.state",),
    remedies=(GIVE_GPU,),
    source="https://github.com/NVIDIA/nvidia-docker/issues/1085",
)
def nvml(facts: Facts, wanted: Wanted) -> Judgement:
    """It answers, or no GPU was handed in."""
    if wanted.device == "cpu":
        return skipped(CPU)
    state = facts.choice("nvidia.state", ("ok", "absent", "failed"))
    if state == "ok":
        return passed(f"driver {facts.text('nvidia.driver_version')}", "NVML answers")
    text = facts.maybe_text("nvidia.text") or state
    if state == "failed":
        cause = texts.classify(text)
        return failed(texts.first_line(text), "NVML answers", cause.reason, cause.remedy)
    if wanted.wants_gpu:
        return failed("absent", "NVML answers", "No GPU was handed in.", GIVE_GPU)
    return info("absent", "any", "no GPU here: CPU rows only")


@check(
    "device.cuda",
    title="CUDA inside the environment",
    scope=ENVIRONMENT,
    looks_at="torch.cuda.is_available() and its error, device nodes, visibility variables",
    why="nvidia-smi can work while torch sees no card; the missing piece has a name.",
    needs=("torch.available", "nvidia.state"),
    remedies=(VISIBLE, CAPABILITIES, UVM, NEEDED_DRIVER, GIVE_GPU),
    source="https://github.com/pytorch/pytorch/issues/98885",
    after=("torch.import", "device.nvml"),
)
def cuda(facts: Facts, wanted: Wanted) -> Judgement:
    """Available; otherwise the missing piece."""
    if wanted.device == "cpu":
        return skipped(CPU)
    text, state = facts.text("torch.available"), facts.text("nvidia.state")
    if text == "ok":
        return passed("available", "available")
    if state == "absent" and not wanted.wants_gpu:
        return skipped("no GPU here")
    if facts.maybe_text("torch.cuda") == "none":
        why = "This torch was built for the CPU only."
        return failed("torch without CUDA", "available", why, OTHER_TORCH.format(listed="none"))
    reason, remedy = _missing_piece(facts, text)
    return failed(texts.first_line(text), "available", reason, remedy)


def _missing_piece(facts: Facts, text: str) -> tuple[str, str]:
    level = texts.found_version(text)
    if level:
        wheel = facts.maybe_text("torch.cuda") or "unknown"
        needed = _needed(wheel)
        why = f"The driver offers CUDA {level}; torch was built for CUDA {wheel}."
        return why, NEEDED_DRIVER.format(needed=needed)
    named = texts.classify(text)
    if named.name in ("fabric manager", "two driver libraries", "forward compatibility"):
        return named.reason, named.remedy
    variables = _variables(facts)
    if variables.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1", "NoDevFiles"):
        return "CUDA_VISIBLE_DEVICES hides every card.", VISIBLE
    capabilities = variables.get("NVIDIA_DRIVER_CAPABILITIES", "all").split(",")
    if not {"all", "compute"}.intersection(part.strip() for part in capabilities):
        listed = ",".join(capabilities)
        return f"NVIDIA_DRIVER_CAPABILITIES={listed} leaves compute out.", CAPABILITIES
    if _no_uvm(facts):
        return "There is no /dev/nvidia-uvm here.", UVM
    return named.reason, named.remedy


def _needed(wheel: str) -> str:
    try:
        return cuda_levels.needed_driver(wheel)
    except ValueError:
        return "the level that torch needs"


def _variables(facts: Facts) -> dict[str, str]:
    try:
        return facts.table("python.variables")
    except Unread:
        return {}


def _no_uvm(facts: Facts) -> bool:
    try:
        return "nvidia-uvm" not in facts.texts("nvidia.nodes")
    except Unread:
        return False


@check(
    "device.architecture",
    title="torch's code against the card",
    scope=ENVIRONMENT,
    looks_at="torch's architecture list, compute capability of every visible card",
    why="Code of the same major version that is not newer serves a card, and so does older PTX.",
    needs=("torch.arch_list", "nvidia.devices"),
    remedies=(OTHER_TORCH,),
    source="https://github.com/akshaydudhane16/Burstormer/issues/19",
    after=("torch.import", "device.nvml"),
)
def architecture(facts: Facts, wanted: Wanted) -> Judgement:
    """Every card is served by an entry of the list."""
    if wanted.device == "cpu":
        return skipped(CPU)
    listed = facts.texts("torch.arch_list")
    cards = [card.version("compute_capability") for card in facts.each("nvidia.devices")]
    if not cards:
        return skipped("no card is listed")
    if not listed:
        return skipped("this torch lists no architecture")
    served = {card: cuda_levels.runs_on(card, listed) for card in sorted(set(cards))}
    unserved = [card for card, entry in served.items() if not entry]
    expected = f"served by {' '.join(listed)}"
    if unserved:
        why = f"torch has no code for compute capability {', '.join(unserved)}."
        return failed(", ".join(served), expected, why, OTHER_TORCH.format(listed=" ".join(listed)))
    measured = ", ".join(f"{card} runs {entry}" for card, entry in served.items())
    return passed(measured, expected)


@check(
    "device.operation",
    title="Real operations on every GPU",
    scope=ENVIRONMENT,
    looks_at="an exact FP32 matrix product and a cuDNN convolution on every visible card",
    why="A card that is listed can still compute nothing, or wrong values.",
    needs=("torch.available",),
    remedies=(BROKEN_CARD,),
    after=("torch.import", "device.nvml", "device.cuda", "device.architecture"),
)
def operation(facts: Facts, wanted: Wanted) -> Judgement:
    """Exact on every card."""
    if wanted.device == "cpu":
        return skipped(CPU)
    if facts.text("torch.available") != "ok":
        return skipped("CUDA is not available here")
    cards = facts.each("torch.devices")
    if not cards:
        return skipped("torch lists no card")
    for place, card in enumerate(cards):
        fault = _fault(card)
        if fault:
            return failed(f"GPU {place}: {texts.first_line(fault)}", "exact", *_cause(fault))
    return passed(f"exact on {len(cards)} of {len(cards)}", "exact")


def _fault(card: Facts) -> Optional[str]:
    answers = [card.text("operation"), card.text("convolution")]
    return next((answer for answer in answers if answer != "ok"), None)


def _cause(text: str) -> tuple[str, str]:
    cause = texts.classify(text)
    if cause is texts.UNKNOWN:
        return "The card computed wrong values or raised.", BROKEN_CARD
    return cause.reason, cause.remedy


@check(
    "device.shared_memory",
    title="Shared memory for data loading",
    scope=ENVIRONMENT,
    looks_at="size of /dev/shm",
    why="Data-loading workers die with a bus error when it is full; containers default to 64 MB.",
    needs=("python.shared_memory_bytes",),
    remedies=(SHM,),
    source="https://github.com/bytedance/Protenix/issues/2",
)
def shared_memory(facts: Facts, wanted: Wanted) -> Judgement:
    """More than a container's default, and at least what the suite needs."""
    size, need = facts.count("python.shared_memory_bytes"), wanted.shared_memory_bytes
    measured, expected = _size(size), f"at least {_size(need)}"
    remedy = SHM.format(size=max(1, -(-need // GIB)))
    if size <= DOCKER_DEFAULT:
        why = "It is a container's small default; workers will die with a bus error."
        return failed(measured, expected, why, remedy)
    if size < need:
        return warned(measured, expected, "Large batches may not fit.", remedy)
    return passed(measured, expected)


def _size(count: int) -> str:
    return f"{count / GIB:.1f} GiB" if count >= GIB else f"{count / MIB:.0f} MiB"
