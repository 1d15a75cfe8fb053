"""How the Docker engine is set up: storage and limits."""

from __future__ import annotations

from envcheck.checks.judgement import Judgement, info, passed, warned
from envcheck.checks.registry import HOST, MAJOR, check
from envcheck.reading import Facts
from envcheck.wanted import Wanted

LAYERED = ("overlay2", "overlayfs", "fuse-overlayfs", "btrfs", "zfs", "stargz")
OVERLAY = (
    'Use overlay2 ("storage-driver" in /etc/docker/daemon.json, on ext4 or xfs), then build the '
    "images again."
)
ALLOW_LIMITS = (
    "Boot a kernel whose control groups have the memory and pids controllers (cgroup_enable=memory "
    "on the kernel's command line where a distribution switches it off), then restart the engine."
)
LIMITS = ("memory", "pids")


@check(
    "engine.storage",
    title="Storage driver",
    scope=HOST,
    severity=MAJOR,
    looks_at="Driver of `docker info`",
    why="A driver that copies every layer needs many times the space and time.",
    needs=("docker.storage_driver",),
    remedies=(OVERLAY,),
    source="https://docs.docker.com/engine/storage/drivers/select-storage-driver/",
    after=("engine.docker",),
)
def storage(facts: Facts, wanted: Wanted) -> Judgement:
    """One that shares layers between images."""
    del wanted
    found = facts.text("docker.storage_driver")
    if found in LAYERED:
        return passed(found, "layers are shared")
    if found == "vfs":
        return warned(found, "layers are shared", "vfs copies every layer whole.", OVERLAY)
    return info(found, "layers are shared", "This tool was not tried on this storage driver.")


@check(
    "engine.cgroups",
    title="Control groups and limits",
    scope=HOST,
    severity=MAJOR,
    looks_at="version and driver of the control groups, limits that `docker info` can set",
    why="Trials are bounded in memory and processes; these controllers are what bounds them.",
    needs=("docker.cgroup_version", "docker.cgroup_driver", "docker.limits"),
    remedies=(ALLOW_LIMITS,),
    after=("engine.docker",),
)
def cgroups(facts: Facts, wanted: Wanted) -> Judgement:
    """Version 1 or 2, a driver, and both limits."""
    del wanted
    version, driver = facts.text("docker.cgroup_version"), facts.text("docker.cgroup_driver")
    there = facts.texts("docker.limits")
    measured = f"version {version}, {driver}, limits: {', '.join(there) or 'none'}"
    expected = f"limits: {', '.join(LIMITS)}"
    missing = [name for name in LIMITS if name not in there]
    if missing or driver == "none":
        why = f"Containers cannot be bounded in: {', '.join(missing or LIMITS)}."
        return warned(measured, expected, why, ALLOW_LIMITS)
    return passed(measured, expected)
