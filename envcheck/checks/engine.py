"""The Docker engine, its builder and the space at its data root."""

from __future__ import annotations

from core import versions
from envcheck.checks.judgement import Judgement, failed, info, passed, skipped, warned
from envcheck.checks.registry import HOST, MAJOR, MINOR, check
from envcheck.facts.docker import STATES
from envcheck.reading import Facts, Unread
from envcheck.wanted import Wanted

GIB = 1024**3
LEAST_FREE = 5 * GIB
LEAST_INODES = 200_000
GROUP = (
    "Add yourself to the group that owns the socket (`sudo usermod -aG docker $USER`, then log in "
    "again), or use rootless Docker."
)
START = "Start it: `sudo systemctl start docker`, and read `journalctl -u docker` if it does not."
HOST_VARIABLE = "Check DOCKER_HOST and that the engine there runs, or unset it."
CLIENT = "Install the docker command line, or unset DOCKER_HOST."
MOVE = (
    'Move the data root to a larger disk ("data-root" in /etc/docker/daemon.json, then restart '
    "the engine), or free space there yourself; this tool never prunes."
)
MOVE_THERE = (
    'Move the data root to {path}, which has {free:.0f} GiB free: "data-root": "{folder}" in '
    "/etc/docker/daemon.json, then restart the engine; this tool never moves or prunes anything."
)
NEWER = "Update Docker Engine to 20.10.6 or newer."
BUILDX = "Install the plug-in (package docker-buildx-plugin or docker-buildx)."
_FAULTS = {
    "denied": ("This user may not open the engine's socket.", GROUP),
    "dead": ("The socket is there and no engine answers on it.", START),
    "unreachable": ("The engine that is named does not answer.", HOST_VARIABLE),
    "unanswered": ("An engine is named or present, but there is no docker command.", CLIENT),
}


@check(
    "engine.docker",
    title="Docker engine",
    scope=HOST,
    looks_at="`docker info`, its socket, DOCKER_HOST",
    why="Without an engine the venv engine serves; an engine that is there and broken is an error.",
    needs=("docker.state",),
    remedies=(GROUP, START, HOST_VARIABLE, CLIENT),
)
def docker(facts: Facts, wanted: Wanted) -> Judgement:
    """It answers, or there is none at all."""
    del wanted
    state = facts.choice("docker.state", STATES)
    if state == "ok":
        version = facts.text("docker.server_version")
        driver = facts.maybe_text("docker.storage_driver") or "storage driver not read"
        return passed(f"{version}, {driver}", "an engine that answers")
    if state == "absent":
        return info("no engine", "an engine that answers", "No Docker engine: venv serves instead.")
    reason, remedy = _FAULTS[state]
    text = facts.maybe_text("docker.text") or state
    return failed(f"{state}: {text[:120]}", "an engine that answers", reason, remedy)


@check(
    "engine.builder",
    title="Image builder",
    scope=HOST,
    severity=MAJOR,
    looks_at="engine version, buildx plug-in",
    why="Before 20.10.6 BuildKit's mounts were ignored without a word.",
    needs=("docker.server_version", "docker.buildx"),
    remedies=(NEWER,),
    source="https://github.com/docker/cli/issues/4319",
    after=("engine.docker",),
)
def builder(facts: Facts, wanted: Wanted) -> Judgement:
    """buildx, else the classic builder."""
    del wanted
    server, buildx = facts.version("docker.server_version"), facts.text("docker.buildx")
    measured = f"engine {server}, buildx {buildx}"
    if versions.release(server) < (20, 10, 6):
        return warned(measured, "20.10.6 or newer", "This engine ignores build mounts.", NEWER)
    if buildx == "none":
        return info(measured, "buildx", f"The classic builder serves, without caches. {BUILDX}")
    return passed(measured, "20.10.6 or newer, buildx")


@check(
    "engine.space",
    title="Space at the engine's data root",
    scope=HOST,
    looks_at="free bytes and inodes of the file system that holds DockerRootDir, against the sum "
    "of what the table's images will need; other disks with room",
    why="Images land there, often on a small system disk while another disk is empty.",
    needs=("docker.data_root", "docker.free_bytes"),
    remedies=(MOVE, MOVE_THERE),
    source="https://github.com/mlcommons/training/issues/694",
    after=("engine.docker",),
)
def space(facts: Facts, wanted: Wanted) -> Judgement:
    """Enough for what the table will need."""
    root, free = facts.text("docker.data_root"), facts.count("docker.free_bytes")
    need = LEAST_FREE if wanted.space_bytes is None else wanted.space_bytes
    inodes = facts.count("docker.free_inodes") if facts.was_read("docker.free_inodes") else None
    measured = f"{free / GIB:.1f} GiB free at {root}"
    expected = f"at least {need / GIB:.1f} GiB"
    if free < need:
        why = "The images that are still to be built will not fit."
        return failed(measured, expected, why, _elsewhere(facts, free, need))
    if inodes is not None and inodes < LEAST_INODES:
        why = "Installing torch makes tens of thousands of files."
        remedy = _elsewhere(facts, free, need)
        return failed(f"{inodes} inodes free at {root}", f"{LEAST_INODES}", why, remedy)
    if inodes is None:
        return passed(f"{measured}, inodes not counted", expected)
    return passed(measured, expected)


def _elsewhere(facts: Facts, here: int, need: int) -> str:
    """The remedy: the roomiest other disk by name where one has enough, else any larger one.

    The disk that holds the data root is told by its free bytes, so it must have clearly more.
    """
    try:
        disks = [(d.count("free_bytes"), d.text("path")) for d in facts.each("system.disks")]
    except Unread:
        return MOVE
    free, path = max(disks, default=(0, ""))
    if free < need or free <= here:
        return MOVE
    folder = f"{path.rstrip('/')}/docker"
    return MOVE_THERE.format(path=path, free=free / GIB, folder=folder)


@check(
    "engine.mirrors",
    title="Registry mirrors",
    scope=HOST,
    severity=MINOR,
    looks_at="RegistryConfig of `docker info`",
    why="Where the default registry is blocked, pulls need a mirror or a prefix.",
    needs=("docker.mirrors",),
    source="https://github.com/docker/cli/issues/5138",
    after=("engine.docker",),
)
def mirrors(facts: Facts, wanted: Wanted) -> Judgement:
    """Which mirrors the engine uses."""
    del wanted
    found = facts.texts("docker.mirrors")
    if found:
        return info(f"{len(found)} configured", "any", "Pulls go through a mirror.")
    return skipped("no mirror is configured; nothing to judge")
