"""The machine: kernel, WSL2, virtualisation, CPU, memory, clock."""

from __future__ import annotations

from envcheck.checks.judgement import Judgement, info, passed, skipped, warned
from envcheck.checks.registry import HOST, MAJOR, MINOR, check
from envcheck.reading import Facts
from envcheck.wanted import Wanted

GIB = 1024**3
LEAST_MEMORY = 8 * GIB
ENOUGH_WITHOUT_SWAP = 15 * GIB
WSL_SOURCE = "https://github.com/microsoft/WSL/issues/9962"
SET_CLOCK = (
    "Turn time synchronisation on: `timedatectl set-ntp true`, or install chrony; inside a "
    "container, on its host."
)
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
    severity=MINOR,
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
    "system.virtualisation",
    title="Virtual machine and container",
    scope=HOST,
    severity=MINOR,
    looks_at="systemd-detect-virt, /proc/cpuinfo, kernel namespaces, marks of container engines",
    why="Inside a container there is usually no Docker engine, and limits come from outside.",
    needs=("system.virtualisation", "system.container"),
)
def virtualisation(facts: Facts, wanted: Wanted) -> Judgement:
    """A machine or a virtual machine passes; a container is told."""
    del wanted
    machine, container = facts.text("system.virtualisation"), facts.text("system.container")
    measured = f"virtual machine {machine}, container {container}"
    if is_wsl(facts):
        return info(measured, "any", "WSL2 is a virtual machine that Windows runs.")
    if container != "none":
        return info(
            measured,
            "any",
            "This host is itself a container: without an engine inside, venv serves, and what "
            "lies outside (driver, clock, kernel log) is put right on the machine that runs it.",
        )
    return passed(measured, "any")


@check(
    "system.cpu",
    title="CPU",
    scope=HOST,
    severity=MINOR,
    looks_at="model and CPUs that may be used, CPU time granted by the control group",
    why="torch starts a thread for every CPU it sees; a smaller quota makes them wait.",
    needs=("system.cpu_model", "system.cpus"),
)
def cpu(facts: Facts, wanted: Wanted) -> Judgement:
    """Two or more, and no quota below them."""
    del wanted
    model, cpus = facts.text("system.cpu_model"), facts.count("system.cpus")
    if cpus == 0:
        return skipped("no CPU is named")
    measured = f"{cpus} x {model}"
    quota = facts.number("system.cpu_quota") if facts.was_read("system.cpu_quota") else cpus
    if quota < cpus:
        why = f"A quota grants the time of {quota:g}: set OMP_NUM_THREADS to that."
        return info(f"{measured}, quota {quota:g}", "no quota below the CPUs", why)
    if cpus < 2:
        return info(measured, "at least 2", "Loading data and computing take turns.")
    return passed(measured, "at least 2")


@check(
    "system.memory",
    title="Memory",
    scope=HOST,
    severity=MAJOR,
    looks_at="MemTotal in /proc/meminfo",
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
    "system.swap",
    title="Swap",
    scope=HOST,
    severity=MINOR,
    looks_at="SwapTotal and MemTotal in /proc/meminfo",
    why="Without swap, a build that needs more memory than there is is killed.",
    needs=("system.swap_bytes", "system.memory_bytes"),
)
def swap(facts: Facts, wanted: Wanted) -> Judgement:
    """Some, or memory enough to do without."""
    del wanted
    size, memory = facts.count("system.swap_bytes"), facts.count("system.memory_bytes")
    measured = f"{size / GIB:.1f} GiB"
    if not size and memory < ENOUGH_WITHOUT_SWAP:
        why = "A build that needs more memory than there is will be killed; add a swap file."
        return info(measured, "some, or 16 GiB of memory", why)
    return passed(measured, "some, or 16 GiB of memory")


@check(
    "system.governor",
    title="CPU frequency governor",
    scope=HOST,
    severity=MINOR,
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
    severity=MAJOR,
    looks_at="adjtimex: the largest error that the kernel's clock admits",
    why="Certificates and the order of results depend on the clock.",
    needs=("system.clock_synchronised",),
    remedies=(SET_CLOCK,),
)
def clock(facts: Facts, wanted: Wanted) -> Judgement:
    """Synchronised, or a warning."""
    del wanted
    if facts.flag("system.clock_synchronised"):
        return passed("synchronised", "synchronised")
    return warned("not synchronised", "synchronised", "The clock may drift.", SET_CLOCK)
