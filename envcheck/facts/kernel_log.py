"""Xid events: what the NVIDIA driver wrote into the kernel log."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from envcheck.facts.field import unavailable
from envcheck.facts.shell import run

LIMIT = 32 * 1024 * 1024
_XID = re.compile(r"NVRM: Xid \(PCI:([0-9a-fA-F:.]+)\): (\d+)")
_WAYS = (("dmesg",), ("journalctl", "-k", "-b", "-q", "--no-pager", "-o", "cat"))


def xids() -> Any:
    """Every code with its card's PCI address and how often it stands in the log of this boot."""
    reasons = []
    for argv in _WAYS:
        ran = run(argv, timeout_s=3, limit=LIMIT)
        if not ran.why and ran.returncode == 0 and ran.out.strip():
            return events(ran.out)
        reasons.append(f"{argv[0]}: {ran.why or ran.text[:120] or 'it shows nothing'}")
    return unavailable("the kernel log cannot be read: " + "; ".join(reasons))


def events(log: str) -> list[dict[str, Any]]:
    """The Xid events of a log text; process names and numbers are left out."""
    found = Counter((pci.lower(), int(code)) for pci, code in _XID.findall(log))
    return [{"code": code, "pci": pci, "count": count} for (pci, code), count in found.items()]
