"""The custom kernels as they were built for this torch."""

from __future__ import annotations

from envcheck.checks.judgement import Judgement, info, passed
from envcheck.checks.registry import ENVIRONMENT, MINOR, check
from envcheck.reading import Facts
from envcheck.wanted import Wanted

BUILD = "Build them: `python -m kernels build`."
EXPECTED = "built for this torch, with CUDA code"


@check(
    "extension.built",
    title="Custom kernels",
    scope=ENVIRONMENT,
    severity=MINOR,
    looks_at="build.json beside the built libraries, torch.__version__",
    why="A library built for another torch loads wrongly or not at all.",
    needs=("extension.builds", "torch.version"),
    source="https://github.com/pytorch/pytorch/issues/68905",
    after=("torch.import",),
)
def built(facts: Facts, wanted: Wanted) -> Judgement:
    """A build for exactly this torch; CPU code only is told with its reason."""
    del wanted
    torch = facts.version("torch.version")
    builds = {item.text("identity.torch"): item for item in facts.each("extension.builds")}
    if torch not in builds:
        others = ", ".join(sorted(builds)) or "none"
        return info(f"built for torch {others}", EXPECTED, f"Not built for {torch}. {BUILD}")
    mine = builds[torch]
    if not mine.flag("cuda"):
        reason = mine.maybe_text("reason") or "no reason was recorded"
        return info("CPU code only", EXPECTED, f"The CUDA rows of the kernels are out: {reason}")
    return passed(f"CUDA code for {', '.join(mine.texts('arch_list'))}", EXPECTED)
