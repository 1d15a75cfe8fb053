"""A base image from distribution packages, for hosts that reach no image registry."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from core.errors import BuildError, InputError
from engines import cmd
from engines.client import connect
from images import baseimage
from images.mirror import choose_mirror, family
from images.tree import import_tree

PACKAGES = (
    "ca-certificates", "g++", "ninja-build",
    "python3", "python3-dev", "python3-pip", "python3-venv",
)  # fmt: skip
CUDA_PACKAGES = ("nvidia-cuda-toolkit", "nvidia-cuda-toolkit-gcc")
PLAIN_COMPONENTS = {"debian": "main", "ubuntu": "main,universe"}
CUDA_COMPONENTS = {"debian": "main,contrib,non-free"}
DRIVER_LIBRARIES = ("libcuda.so*", "libnvidia-*.so*")
_SUITE = re.compile(r"[a-z][a-z0-9-]{1,30}")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def base_tag(suite: str, *, cuda: bool) -> str:
    """What a base is tagged when nothing else is asked for: ``torchrig/base:trixie-cuda``."""
    return f"torchrig/base:{suite}-cuda" if cuda else f"torchrig/base:{suite}"


def make_base(
    suite: str = "bullseye",
    *,
    cuda: bool = False,
    tag: str | None = None,
    mirror: str | None = None,
    force: bool = False,
    say: Callable[[str], None] = print,
) -> str:
    """Make a base image with debootstrap and import it into the engine.

    Args:
        suite: a suite that the host's debootstrap knows; bullseye's Python has locks in every
            environment of the table.
        cuda: also install the distribution's CUDA toolkit and the compiler that it accepts
            (bullseye has 11.2, bookworm 11.8, trixie 12.4).
        tag: the image's name; ``base_tag`` by default.
        mirror: the distribution's mirror; by default the one of the host's apt sources.
        force: make it again where the image exists.
        say: where progress goes, one line each.

    Returns:
        The image's name.

    Raises:
        InputError: the suite is unknown, or has no CUDA toolkit to install.
        EngineError: the engine does not answer.
        BuildError: no root rights, no debootstrap, no mirror, or a package that is not there.
    """
    _refuse_unknown(suite, cuda=cuda)
    name = tag or base_tag(suite, cuda=cuda)
    with closing(connect()) as client:
        previous = baseimage.local_id(client, name)
        if previous is not None and not force:
            say(f"{name} is in the engine already")
            return name
        _refuse_without_rights()
        source = mirror or choose_mirror(suite)
        with _folder() as tree:
            say(f"{name}: installing {suite} packages, one to three minutes")
            _debootstrap(tree, suite, source, cuda=cuda)
            if cuda:
                say(f"{name}: installing the CUDA toolkit, two to five minutes and some 5 GB")
                _install_cuda(tree)
            _clean(tree)
            say(f"{name}: importing")
            _import(client, tree, name, suite)
        baseimage.remove_superseded(client, previous, baseimage.local_id(client, name))
    return name


def debootstrap_command(tree: Path, suite: str, mirror: str, *, cuda: bool) -> list[str]:
    """The command line; a release without a valid signature is refused."""
    components = (CUDA_COMPONENTS if cuda else PLAIN_COMPONENTS)[family(suite)]
    return [
        "debootstrap", "--force-check-gpg", "--variant=minbase", f"--components={components}",
        f"--include={','.join(PACKAGES)}", suite, str(tree), mirror,
    ]  # fmt: skip


def _debootstrap(tree: Path, suite: str, mirror: str, *, cuda: bool) -> None:
    done = cmd.run(debootstrap_command(tree, suite, mirror, cuda=cuda), stream=True)
    if not done.ok:
        log = tree / "debootstrap" / "debootstrap.log"
        detail = log.read_text(errors="replace")[-1500:] if log.is_file() else ""
        raise BuildError(
            f"debootstrap could not install {suite}.",
            why=f"{done.tail(6)}\n{detail}".strip(),
            remedy="Check that the mirror has this suite, or name another with --mirror URL.",
        )


def _install_cuda(tree: Path) -> None:
    """Install the toolkit inside the tree, where no service may start."""
    install = ["apt-get", "install", "-y", "--no-install-recommends", *CUDA_PACKAGES]
    policy = tree / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
    policy.chmod(0o755)
    try:
        for command in (["apt-get", "update"], install):
            _inside(tree, command)
        remove_driver_libraries(tree)
        _inside(tree, ["ldconfig"])
    finally:
        policy.unlink(missing_ok=True)


def remove_driver_libraries(tree: Path) -> list[Path]:
    """Remove the driver's libraries that the distribution's toolkit draws in.

    They belong to the host's driver, which comes into a container from outside; a second copy
    of another version makes CUDA fail. The stubs that programs are linked against stay.

    Returns:
        The files and links removed.
    """
    found = [
        path
        for pattern in DRIVER_LIBRARIES
        for path in (tree / "usr/lib").rglob(pattern)
        if "stubs" not in path.parts
    ]
    for path in found:
        path.unlink()
    return found


def _inside(tree: Path, command: list[str]) -> None:
    env = {**os.environ, "PATH": _PATH, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    done = cmd.run(["chroot", tree, *command], env=env, stream=True)
    if not done.ok:
        raise BuildError(
            "The CUDA toolkit could not be installed into the base.",
            why=done.tail(8),
            remedy="Check that the mirror carries the non-free component of this suite, or name "
            "another with --mirror URL.",
        )


def _clean(tree: Path) -> None:
    """Leave no package lists, archives or logs of the installation in the image."""
    for folder in ("var/lib/apt/lists", "var/cache/apt", "var/log"):
        for entry in (tree / folder).iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    for folder in ("var/lib/apt/lists/partial", "var/cache/apt/archives/partial"):
        (tree / folder).mkdir(parents=True)


def _import(client: Any, tree: Path, name: str, suite: str) -> None:
    import_tree(client, tree, name, [f"ENV PATH={_PATH}", f"LABEL io.torchrig.base={suite}"])


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="torchrig-base-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        _unmount_below(folder)
        shutil.rmtree(folder)


def _unmount_below(folder: Path) -> None:
    """Take down what an interrupted installation left mounted, before anything is removed."""
    table = Path("/proc/self/mounts").read_text(encoding="utf-8")
    points = [line.split()[1] for line in table.splitlines()]
    for point in reversed([point for point in points if point.startswith(f"{folder}/")]):
        done = cmd.run(["umount", point])
        if not done.ok:
            raise BuildError(
                f"{point} is still mounted; {folder} was left as it is.",
                why=done.tail(),
                remedy=f"Run `umount {point}`, then remove the folder.",
            )


def _refuse_unknown(suite: str, *, cuda: bool) -> None:
    if not _SUITE.fullmatch(suite):
        raise InputError(
            f"{suite!r} is not the name of a suite.", remedy="Give one such as bullseye."
        )
    if cuda and family(suite) not in CUDA_COMPONENTS:
        raise InputError(
            f"--cuda is not known to work with {suite}.",
            remedy="Take bullseye, bookworm or trixie for a base with a CUDA toolkit.",
        )


def _refuse_without_rights() -> None:
    if platform.machine() != "x86_64":
        raise BuildError(
            f"This machine is {platform.machine()}.",
            why="The locks, and PyTorch's CUDA wheels in them, are for x86-64 only.",
            remedy="Make the base on an x86-64 machine.",
        )
    if os.geteuid() != 0:
        raise BuildError(
            "A base can only be made as root.",
            why="debootstrap creates device files and changes its root folder.",
            remedy="Run this command with sudo, or build on an image you have (--base IMAGE).",
        )
    if shutil.which("debootstrap") is None:
        raise BuildError(
            "debootstrap was not found.",
            why=f"PATH is {os.environ.get('PATH', '')}.",
            remedy="Install it: `apt-get install debootstrap`.",
        )
