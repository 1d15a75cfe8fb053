"""Judge a host or an environment from Python."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional

from core import jsonio
from core.errors import InputError, TorchrigError
from core.records import Finding
from envcheck import judging, profiles, verdict
from envcheck.checks import registry
from envcheck.facts import collect
from envcheck.reading import Facts, Unread
from envcheck.wanted import SHARED_MEMORY_BYTES, Wanted

ENVIRONMENT_VARIABLE = "TORCHRIG_ENVIRONMENT"


@dataclass(frozen=True)
class Report:
    """Facts, the findings on them, and what they add up to."""

    scope: str
    facts: Mapping[str, Any]
    findings: tuple[Finding, ...]

    def verdict(self, *, strict: bool = False) -> str:
        """``pass``, ``warn``, ``fail`` or ``unknown``."""
        return verdict.verdict(self.findings, strict=strict)

    def exit_status(self, *, strict: bool = False) -> int:
        """0 or 1."""
        return verdict.exit_status(self.verdict(strict=strict))

    def to_dict(self, *, strict: bool = False) -> dict[str, Any]:
        """The JSON document (kind ``envcheck``, schema 1)."""
        return verdict.document(self.scope, self.facts, list(self.findings), strict=strict)


def host_report(
    *,
    device: str = "auto",
    environments: Iterable[Mapping[str, Any]] = (),
    space_bytes: Optional[int] = None,
    profile: str = "",
    facts: Optional[Mapping[str, Any]] = None,
    identify: bool = False,
    probe_image: str = "",
) -> Report:
    """Judge this host, or the host whose saved ``facts`` are given.

    ``environments`` are descriptions (environment.json, or name, wheel_cuda and toolkit_cuda of
    one); ``space_bytes`` is what they need at the engine's data root. Without ``profile`` the one
    that fits the card found is taken. ``probe_image`` starts one short container.

    Raises:
        InputError: no such profile.
    """
    if facts is None:
        facts = collect.host(identify=identify, probe_image=probe_image)
    wanted = Wanted(
        device=device,
        environments=tuple(environments),
        space_bytes=space_bytes,
        profile=_profile(profile, facts),
    )
    return _report(registry.HOST, facts, wanted)


def environment_report(
    *,
    environment: Optional[Mapping[str, Any]] = None,
    device: str = "auto",
    facts: Optional[Mapping[str, Any]] = None,
    identify: bool = False,
    shared_memory_bytes: int = SHARED_MEMORY_BYTES,
) -> Report:
    """Judge this interpreter against ``environment`` (environment.json; None: unmanaged)."""
    if facts is None:
        facts = collect.environment(device=device, identify=identify)
    wanted = Wanted(device=device, environment=environment, shared_memory_bytes=shared_memory_bytes)
    return _report(registry.ENVIRONMENT, facts, wanted)


def host_findings(**options: Any) -> list[Finding]:
    """The findings of ``host_report``."""
    return list(host_report(**options).findings)


def environment_findings(**options: Any) -> list[Finding]:
    """The findings of ``environment_report``."""
    return list(environment_report(**options).findings)


def described_environment() -> Optional[Mapping[str, Any]]:
    """environment.json of this environment, None where it is unmanaged.

    Raises:
        InputError: $TORCHRIG_ENVIRONMENT names a file that cannot be used.
    """
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if not named:
        return None
    try:
        data = jsonio.read(Path(named))
    except TorchrigError as error:
        raise InputError(
            f"{ENVIRONMENT_VARIABLE} names {named}, which cannot be used.",
            why=error.what,
            remedy=f"Build the environment again, or unset {ENVIRONMENT_VARIABLE}.",
        ) from error
    if not isinstance(data, dict) or data.get("schema") != 1:
        raise InputError(
            f"{named} does not describe an environment.",
            why="It is no object with schema 1.",
            remedy="Build the environment again with this version of the tool.",
        )
    return data


def _report(scope: str, facts: Mapping[str, Any], wanted: Wanted) -> Report:
    found = judging.findings(registry.load(scope), facts, wanted)
    return Report(scope, facts, tuple(found))


def _profile(name: str, facts: Mapping[str, Any]) -> profiles.Profile:
    if name:
        return profiles.load(name)
    try:
        cards = Facts(facts).each("nvidia.devices")
        return profiles.fitting([card.text("pci_id") for card in cards])
    except (Unread, InputError):
        return profiles.Profile()
