"""Virtual machine and container: two facts, since either can hold without the other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Optional

from envcheck.facts.field import read_text
from envcheck.facts.shell import run

# Numbers that the kernel gives to its first namespaces (include/linux/proc_ns.h)
_FIRST = {"pid": 0xEFFFFFFC, "uts": 0xEFFFFFFE, "ipc": 0xEFFFFFFF}
_MARKS = (("/.dockerenv", "docker"), ("/run/.containerenv", "podman"))


def virtual_machine(cpuinfo: str = "/proc/cpuinfo") -> str:
    """The hypervisor's name, ``some hypervisor`` where it has none, or ``none``."""
    ran = run(["systemd-detect-virt", "--vm"], timeout_s=2)
    if not ran.why and ran.out.strip():
        return ran.out.strip()
    return "some hypervisor" if " hypervisor" in read_text(cpuinfo) else "none"


def container(namespaces: str = "/proc/self/ns", root: str = "/") -> str:
    """The container's kind, ``some container`` where it has no mark, or ``none``.

    Namespaces decide where they can be read: a file such as /.dockerenv is also left in the root
    of a virtual machine that was made from an image, and that is no container.
    """
    inside = _inside(namespaces)
    if inside is False:
        return "none"
    named = _by_mark(root) or _by_systemd()
    return named or ("some container" if inside else "none")


def _inside(namespaces: str) -> Optional[bool]:
    found = {name: _number(Path(namespaces) / name) for name in _FIRST}
    if any(number is None for number in found.values()):
        return None
    return found != _FIRST


def _number(path: Path) -> Optional[int]:
    try:
        match = re.search(r"\[(\d+)\]", str(path.readlink()))
    except OSError:
        return None
    return int(match.group(1)) if match else None


def _by_mark(root: str) -> str:
    return next((name for mark, name in _MARKS if Path(f"{root}{mark}").exists()), "")


def _by_systemd() -> str:
    ran = run(["systemd-detect-virt", "--container"], timeout_s=2)
    answer = "" if ran.why else ran.out.strip()
    return "" if answer == "none" else answer
