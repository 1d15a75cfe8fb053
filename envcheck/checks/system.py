"""The machine: kernel, WSL2, memory, clock."""

from __future__ import annotations

from envcheck.checks.judgement import Judgement, info, passed, skipped, warned
from envcheck.checks.registry import HOST, check
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

GIB = 1024**3
LEAST_MEMORY = 8 * GIB
WSL_SOURCE = "https://github.com/microsoft/WSL/issues/9962"
SET_CLOCK = "Turn time synchronisation on: `timedatectl set-ntp true`."
MORE_MEMORY = "Use a machine with more memory, or run the quick preset on few environments."
GOVERNORS = ("performance", "schedutil", "ondemand", "conservative", "userspace", "powersave")
PERFORMANCE = "Set it while measuring: `cpupower frequency-set -g performance`."


def is_wsl(facts: Facts) -> bool:
    """Whether the kernel is WSL2's."""
    return "microsoft" in facts.text("system.kernel").lower()


@check(
    "system.platform",
    title="Kernel and distribution",
    scope=HOST,
    looks_at="kernel release, /etc/os-release, machine type",
    why="Every other answer depends on it; under WSL2 the GPU arrives by another route.",
    needs=("system.kernel", "system.distribution"),
    source=WSL_SOURCE,
)
def platform(facts: Facts, wanted: Wanted) -> Judgement:
    """Linux passes; WSL2 is supported with limits."""
    del wanted
    kernel, name = facts.text("system.kernel"), facts.text("system.distribution.name")
    measured = f"{name}, kernel {kernel}"
    if is_wsl(facts):
        return info(
            measured,
            "Linux",
            "WSL2: supported with limits. The Windows driver serves the GPU; install no Linux "
            "driver inside, and the kernel log is not looked at.",
        )
    return passed(measured, "Linux")


@check(
    "system.memory",
    title="Memory",
    scope=HOST,
    looks_at="MemTotal and SwapTotal in /proc/meminfo",
    why="Building and loading torch needs several gigabytes.",
    needs=("system.memory_bytes",),
    remedies=(MORE_MEMORY,),
)
def memory(facts: Facts, wanted: Wanted) -> Judgement:
    """At least 8 GiB."""
    del wanted
    total = facts.count("system.memory_bytes")
    measured, expected = f"{total / GIB:.1f} GiB", "at least 8 GiB"
    if total < LEAST_MEMORY * 0.95:
        return warned(measured, expected, "Some workloads will not fit.", MORE_MEMORY)
    return passed(measured, expected)


@check(
    "system.governor",
    title="CPU frequency governor",
    scope=HOST,
    looks_at="scaling_governor of the first CPU",
    why="A governor that saves power makes CPU times wander.",
    needs=("system.governor",),
)
def governor(facts: Facts, wanted: Wanted) -> Judgement:
    """Information only: it changes spread, not correctness."""
    del wanted
    found = facts.choice("system.governor", GOVERNORS)
    if found == "powersave":
        return info(found, "performance", f"CPU times will spread. {PERFORMANCE}")
    return passed(found, "performance, schedutil or ondemand")


@check(
    "system.clock",
    title="Time synchronisation",
    scope=HOST,
    looks_at="NTPSynchronized of timedatectl",
    why="Certificates and the order of results depend on the clock.",
    needs=("system.clock_synchronised",),
    remedies=(SET_CLOCK,),
)
def clock(facts: Facts, wanted: Wanted) -> Judgement:
    """Synchronised, or a warning."""
    del wanted
    try:
        synchronised = facts.flag("system.clock_synchronised")
    except Unread as unread:
        return skipped(unread.why)
    if synchronised:
        return passed("synchronised", "synchronised")
    return warned("not synchronised", "synchronised", "The clock may drift.", SET_CLOCK)
