"""How a GPU would reach a container."""

from __future__ import annotations

from envcheck import texts
from envcheck.checks.gpus import CPU_ROWS, CPU_ROWS_ONLY, has_gpu
from envcheck.checks.judgement import Judgement, failed, info, passed, skipped
from envcheck.checks.registry import HOST, check
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

SNAP = (
    "Remove the snap (`sudo snap remove docker`) and install Docker Engine from its packages; the "
    "snap cannot use the NVIDIA container toolkit."
)
TOOLKIT = (
    "Install the NVIDIA container toolkit (package nvidia-container-toolkit), then "
    "`sudo nvidia-ctk runtime configure --runtime=docker` and restart the engine."
)
REGISTER = (
    "Register it: `sudo nvidia-ctk runtime configure --runtime=docker`, then restart the engine."
)
UNPROVEN = "No container proved it: build an image, or name one with --probe-image."
EXPECTED = "a container that sees the card, by the NVIDIA runtime or by CDI"


@check(
    "container.gpu",
    title="GPU for containers",
    scope=HOST,
    looks_at="a probe container by every way there is, runtimes and CDI folders of the engine, "
    "CDI files, toolkit programs, snap",
    why="Three unlike causes give the same text, could not select device driver.",
    needs=("docker.state", "docker.snap", "docker.toolkit", "docker.runtimes"),
    remedies=(CPU_ROWS, SNAP, TOOLKIT, REGISTER),
    source="https://github.com/NVIDIA/nvidia-docker/issues/1642",
    after=("driver.loaded", "driver.whole", "engine.docker"),
)
def gpu(facts: Facts, wanted: Wanted) -> Judgement:
    """A way exists, and where a probe container ran, it saw the card."""
    if wanted.device == "cpu":
        return skipped("not needed for --device cpu")
    probed = facts.was_read("docker.gpu_probe")
    if not has_gpu(facts):
        if probed and facts.count("docker.gpu_probe.returncode"):
            return failed("no NVIDIA GPU", EXPECTED, "This host has no NVIDIA GPU.", CPU_ROWS)
        return skipped(CPU_ROWS_ONLY)
    if probed:
        return _by_probe(facts)
    return _by_configuration(facts)


def _by_probe(facts: Facts) -> Judgement:
    text = facts.text("docker.gpu_probe.text")
    if facts.number("docker.gpu_probe.returncode") == 0 and "GPU 0" in text:
        way = facts.maybe_text("docker.gpu_probe.way") or "a way not recorded"
        return passed(f"a container sees {texts.first_line(text, 60)} ({way})", EXPECTED)
    measured = texts.first_line(text)
    cause = texts.classify(text)
    if cause.name in ("no container GPU runtime", "unknown"):
        answer = _by_configuration(facts)
        if answer.remedy:
            return failed(measured, EXPECTED, answer.reason, answer.remedy)
    return failed(measured, EXPECTED, cause.reason, cause.remedy)


def _by_configuration(facts: Facts) -> Judgement:
    if facts.flag("docker.snap"):
        return failed("Docker from snap", EXPECTED, "The engine comes from snap.", SNAP)
    if "nvidia" in facts.texts("docker.runtimes"):
        return info("the NVIDIA runtime is registered", EXPECTED, UNPROVEN)
    specs = _texts(facts, "docker.cdi_specs")
    if specs and _texts(facts, "docker.cdi_folders"):
        return info(f"CDI: {', '.join(specs)}", EXPECTED, UNPROVEN)
    toolkit = facts.texts("docker.toolkit")
    if toolkit:
        why = "The toolkit is installed but the engine knows neither its runtime nor CDI."
        return failed(f"{', '.join(toolkit)} installed", EXPECTED, why, REGISTER)
    why = "The NVIDIA container toolkit is not installed."
    return failed("no runtime, no CDI, no toolkit", EXPECTED, why, TOOLKIT)


def _texts(facts: Facts, path: str) -> list[str]:
    try:
        return facts.texts(path)
    except Unread:
        return []
