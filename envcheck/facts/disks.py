"""Disks with room: where the engine's data root could go."""

from __future__ import annotations

import os
from typing import Any

from envcheck.facts.field import read_text

_KINDS = ("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs")
LIMIT = 1 << 20


def mounts(path: str = "/proc/self/mountinfo") -> list[dict[str, Any]]:
    """``path``, ``kind`` and ``free_bytes`` of each writable disk, each device once."""
    found: dict[str, dict[str, Any]] = {}
    for device, entry in filter(None, map(_entry, read_text(path, LIMIT).splitlines())):
        try:
            stat = os.statvfs(entry["path"])
        except OSError:
            continue
        found.setdefault(device, {**entry, "free_bytes": stat.f_bavail * stat.f_frsize})
    return sorted(found.values(), key=lambda item: -item["free_bytes"])


def _entry(line: str) -> Any:
    """Device number and mount of one line; None for what is no disk of this machine's own.

    A mount whose root is not the file system's own is a part of it shown at another place.
    """
    before, _, after = line.partition(" - ")
    parts, kind = before.split(), (after.split() or [""])[0]
    whole = kind in ("btrfs", "zfs") or (len(parts) > 5 and parts[3] == "/")
    if len(parts) < 6 or kind not in _KINDS or not whole or "rw" not in parts[5].split(","):
        return None
    return parts[2], {"path": parts[4].replace("\\040", " "), "kind": kind}
