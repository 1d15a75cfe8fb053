"""The NVIDIA driver: loaded, whole, new enough."""

from __future__ import annotations

from envcheck import cuda_levels, texts
from envcheck.checks.gpus import CPU_ROWS_ONLY, describe, has_gpu
from envcheck.checks.judgement import Judgement, failed, info, passed, skipped, warned
from envcheck.checks.registry import HOST, MINOR, check
from envcheck.checks.system import is_wsl
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

NOUVEAU = (
    "Blacklist nouveau (`blacklist nouveau` and `options nouveau modeset=0` in "
    "/etc/modprobe.d/), rebuild the initramfs and reboot."
)
SECURE_BOOT = (
    "Sign the module and enrol its key (`mokutil --import`), or switch Secure Boot off in the "
    "firmware."
)
OTHER_KERNEL = (
    "Install the headers of the running kernel and rebuild the module (`dkms autoinstall`), or "
    "boot the kernel that has one."
)
INSTALL = "Install the NVIDIA driver from the distribution's packages, then reboot."
LOAD = "Load it with `modprobe nvidia` and read the kernel log for what stops it."
REBOOT = texts.classify("Driver/library version mismatch").remedy
UPDATE = "Update the NVIDIA driver on the host to {needed}."
UNSUPPORTED_WAY = (
    " (NVIDIA_DISABLE_REQUIRES=1 skips this test of the container toolkit; that is unsupported "
    "and this tool never sets it.)"
)


@check(
    "driver.loaded",
    title="NVIDIA driver loaded",
    scope=HOST,
    looks_at="PCI devices of vendor 10de, NVML or nvidia-smi, loaded modules, Secure Boot",
    why="Nothing on the GPU works without it, and its absence has three unlike causes.",
    needs=("nvidia.state",),
    remedies=(NOUVEAU, SECURE_BOOT, OTHER_KERNEL, INSTALL, LOAD),
    source="https://github.com/mattshma/bigdata/issues/133",
)
def loaded(facts: Facts, wanted: Wanted) -> Judgement:
    """NVML answers, or the sub-cause that keeps it from answering."""
    del wanted
    expected = "NVML answers"
    state = facts.choice("nvidia.state", ("ok", "absent", "failed"))
    if state == "ok":
        version = facts.text("nvidia.driver_version")
        return passed(f"driver {version}", expected)
    text = facts.maybe_text("nvidia.text") or "NVML does not answer"
    if _mismatch(text):
        return skipped("the driver is there but half-updated: see driver.whole")
    if state == "absent" and not has_gpu(facts):
        return skipped(CPU_ROWS_ONLY)
    measured = texts.first_line(text)
    if is_wsl(facts):
        cause = texts.classify("GPU access blocked by the operating system")
        return failed(measured, expected, cause.reason, cause.remedy)
    reason, remedy = _why_not_loaded(facts)
    return failed(measured, expected, reason, remedy)


def _mismatch(text: str) -> bool:
    return texts.classify(text).name == "half-updated driver"


def _why_not_loaded(facts: Facts) -> tuple[str, str]:
    if "nouveau" in _texts(facts, "system.modules") or _driven_by_nouveau(facts):
        return "The nouveau driver owns the card.", NOUVEAU
    kernels = _texts(facts, "system.nvidia_module_kernels")
    running = facts.maybe_text("system.kernel") or "unknown"
    if running in kernels and _secure_boot(facts):
        return "Secure Boot is on and stops a module that is not signed.", SECURE_BOOT
    if kernels and running not in kernels:
        other = ", ".join(kernels)
        return f"The module is built for kernel {other}, not for {running}.", OTHER_KERNEL
    if running in kernels:
        return "The module is built for this kernel but not loaded.", LOAD
    return "No NVIDIA kernel module was found.", INSTALL


def _texts(facts: Facts, path: str) -> list[str]:
    try:
        return facts.texts(path)
    except Unread:
        return []


def _secure_boot(facts: Facts) -> bool:
    try:
        return facts.flag("system.secure_boot")
    except Unread:
        return False


def _driven_by_nouveau(facts: Facts) -> bool:
    try:
        return any(card.maybe_text("driver") == "nouveau" for card in facts.each("system.pci_gpus"))
    except Unread:
        return False


@check(
    "driver.whole",
    title="Driver module and library agree",
    scope=HOST,
    looks_at="version of the loaded kernel module, versions of libcuda and libnvidia-ml, in full",
    why="A half-done driver update leaves an old module under new libraries.",
    needs=("nvidia.module_version",),
    remedies=(REBOOT,),
    source="https://github.com/tinygrad/open-gpu-kernel-modules/issues/47",
)
def whole(facts: Facts, wanted: Wanted) -> Judgement:
    """Module and libraries carry the same full version."""
    del wanted
    module = facts.version("nvidia.module_version")
    text = facts.maybe_text("nvidia.text") or ""
    libraries = sorted(
        set(_texts(facts, "nvidia.library_versions"))
        | set(_texts(facts, "nvidia.nvml_library_versions"))
    )
    measured = f"module {module}, library {' and '.join(libraries) or 'not found'}"
    if _mismatch(text) or any(version != module for version in libraries):
        reason = texts.classify("Driver/library version mismatch").reason
        return failed(measured, f"library {module}", reason, REBOOT)
    if not libraries:
        return skipped("no driver library was found in the system's folders")
    return passed(measured, f"library {module}")


@check(
    "driver.cuda_level",
    title="Driver against each environment's CUDA",
    scope=HOST,
    looks_at="driver version and CUDA level, wheel and toolkit CUDA of each environment, card name",
    why="A wheel or base image may need a newer driver; GeForce has no forward compatibility.",
    needs=("nvidia.driver_version", "nvidia.cuda_level"),
    remedies=(UPDATE, UPDATE + UNSUPPORTED_WAY),
    source="https://github.com/theroyallab/tabbyAPI/issues/324",
    after=("driver.loaded", "driver.whole"),
)
def cuda_level(facts: Facts, wanted: Wanted) -> Judgement:
    """One finding about the host for all environments: the worst of them decides."""
    if wanted.device == "cpu":
        return skipped("not needed for --device cpu")
    if not wanted.environments:
        return skipped("no environment was named")
    driver = facts.version("nvidia.driver_version")
    offered = facts.version("nvidia.cuda_level")
    measured = f"driver {driver}, CUDA {offered}"
    geforce = _maybe_geforce(facts)
    answers = [_one(driver, offered, item, geforce=geforce) for item in wanted.environments]
    order = ("fail", "warn", "pass", "skip")
    return _with_measured(min(answers, key=lambda a: order.index(a.status.value)), measured)


def _maybe_geforce(facts: Facts) -> bool:
    """Whether forward compatibility is refused: a GeForce card, or no card's name was read."""
    try:
        names = [card.text("name") for card in facts.each("nvidia.devices")]
    except Unread:
        return True
    return not names or any("GeForce" in name or "TITAN" in name for name in names)


def _with_measured(answer: Judgement, measured: str) -> Judgement:
    return Judgement(answer.status, measured, answer.expected, answer.reason, answer.remedy)


def _one(driver: str, offered: str, environment: object, *, geforce: bool) -> Judgement:
    view = Facts(environment, "environment")
    try:
        name, wheel = view.text("name"), view.version("wheel_cuda")
        toolkit = view.version("toolkit_cuda") if view.was_read("toolkit_cuda") else offered
    except Unread as unread:
        return skipped(str(unread))
    level = cuda_levels.level
    if level(wheel) > level(offered) and not cuda_levels.runs_by_minor_version(driver, wheel):
        remedy = UPDATE.format(needed=cuda_levels.needed_driver(wheel))
        why = f"{name}: torch's CUDA {wheel} does not run on a driver of CUDA {offered}."
        return failed("", f"CUDA {wheel}", why, remedy)
    if level(toolkit) > level(offered):
        remedy = UPDATE.format(needed=cuda_levels.needed_driver(toolkit)) + UNSUPPORTED_WAY
        why = f"{name}: its base image needs CUDA {toolkit}, the driver offers {offered}."
        if not geforce:
            why += " On this kind of card the image's own compatibility library may serve."
            return warned("", f"CUDA {toolkit}", why, remedy)
        return failed("", f"CUDA {toolkit}", why, remedy)
    if level(wheel) > level(offered):
        remedy = UPDATE.format(needed=cuda_levels.needed_driver(wheel))
        why = (
            f"{name}: CUDA {wheel} runs on this driver by minor-version compatibility: what needs "
            "the newer driver (its PTX, new features) fails."
        )
        return warned("", f"CUDA {wheel}", why, remedy)
    return passed("", f"CUDA {wheel} or higher")


@check(
    "driver.persistence",
    title="Persistence mode",
    scope=HOST,
    severity=MINOR,
    looks_at="persistence mode of every GPU",
    why="Without it the driver starts anew for every short job, which costs seconds.",
    needs=("nvidia.devices",),
    source="https://github.com/NVIDIA/nvidia-docker/issues/723",
    after=("driver.loaded", "driver.whole"),
)
def persistence(facts: Facts, wanted: Wanted) -> Judgement:
    """On for every GPU; off is information, since timings leave start-up out."""
    del wanted
    devices = facts.each("nvidia.devices")
    if not devices:
        return skipped("no GPU is listed")
    off = [device for device in devices if not device.flag("persistence")]
    if not off:
        return passed("on", "on")
    return info(
        f"off ({describe(off)})",
        "on",
        "The first use of the GPU by each process is slow; timings leave it out. "
        "`nvidia-smi -pm 1` turns persistence on.",
    )
