"""Checks declare themselves; nothing else lists them."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import Callable, Iterable

import envcheck.checks
from envcheck.checks.judgement import Judgement
from envcheck.reading import Facts
from envcheck.wanted import Wanted

Judge = Callable[[Facts, Wanted], Judgement]

HOST = "host"
ENVIRONMENT = "environment"
ACTIVE = "active"
CRITICAL, MAJOR, MINOR = "critical", "major", "minor"
SEVERITIES = {
    CRITICAL: "can stop the job: at worst a failure",
    MAJOR: "costs speed or some rows: at worst a warning",
    MINOR: "worth knowing: at worst information",
}
AREAS = (
    "system",
    "driver",
    "gpu",
    "engine",
    "container",
    "environment",
    "python",
    "torch",
    "library",
    "device",
    "toolchain",
    "extension",
    "active",
)


@dataclass(frozen=True)
class Check:
    """One check.

    ``id`` is ``area.name`` and ``looks_at`` says what is read, in words. Every path in ``needs``
    must have been read, else the check is ``skip`` (``fail`` where ``demanded``). The ids in
    ``after`` are causes: where one of them failed, this check only says that it follows from it.
    ``severity`` says what the check can cost: one of ``SEVERITIES``.
    """

    id: str
    title: str
    scope: str
    looks_at: str
    why: str
    needs: tuple[str, ...]
    remedies: tuple[str, ...]
    judge: Judge
    source: str
    after: tuple[str, ...] = ()
    demanded: bool = False
    severity: str = CRITICAL

    @property
    def area(self) -> str:
        """The part of the id before its first dot."""
        return self.id.partition(".")[0]


_CHECKS: dict[str, Check] = {}


def check(  # noqa: PLR0913 - one keyword for each field of a check
    id: str,  # noqa: A002 - the field's name in every report
    *,
    title: str,
    scope: str,
    looks_at: str,
    why: str,
    needs: tuple[str, ...],
    remedies: tuple[str, ...] = (),
    source: str = "",
    after: tuple[str, ...] = (),
    demanded: bool = False,
    severity: str = CRITICAL,
) -> Callable[[Judge], Judge]:
    """Register the decorated function as a check."""

    def register(judge: Judge) -> Judge:
        if id in _CHECKS:
            raise ValueError(f"two checks are called {id}")
        _CHECKS[id] = Check(
            id,
            title,
            scope,
            looks_at,
            why,
            needs,
            remedies,
            judge,
            source,
            after,
            demanded,
            severity,
        )
        return judge

    return register


def load(*scopes: str) -> list[Check]:
    """Every check of the named scopes (all of them by default), causes before what follows."""
    for module in sorted(info.name for info in pkgutil.iter_modules(envcheck.checks.__path__)):
        importlib.import_module(f"envcheck.checks.{module}")
    found = [item for item in _CHECKS.values() if not scopes or item.scope in scopes]
    return _causes_first(sorted(found, key=lambda item: AREAS.index(item.area)))


def described(ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """What the named checks are: severity, what they look at, why, and their source."""
    known = {item.id: item for item in load()}
    return {
        name: {
            "severity": known[name].severity,
            "looks_at": known[name].looks_at,
            "why": known[name].why,
            "source": known[name].source,
        }
        for name in ids
        if name in known
    }


def _causes_first(checks: list[Check]) -> list[Check]:
    """The same order, but that every check comes after those it names in ``after``."""
    waiting = {item.id: item for item in checks}
    ordered: list[Check] = []

    def place(item: Check) -> None:
        for cause in item.after:
            if cause in waiting:
                place(waiting.pop(cause))
        ordered.append(item)

    while waiting:
        place(waiting.pop(next(iter(waiting))))
    return ordered
