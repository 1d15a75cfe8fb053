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
from envcheck.active import run
from envcheck.active.plan import Plan
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


def host_report(  # noqa: PLR0913 - one keyword for each thing a user can say
    *,
    device: str = "auto",
    environments: Iterable[Mapping[str, Any]] = (),
    space_bytes: Optional[int] = None,
    profile: str = "",
    facts: Optional[Mapping[str, Any]] = None,
    identify: bool = False,
    probe_image: str = "",
    active: Optional[Plan] = None,
) -> Report:
    """Judge this host, or the host whose saved ``facts`` are given.

    ``environments`` are descriptions (environment.json, or name, wheel_cuda and toolkit_cuda of
    one); ``space_bytes`` is what they need at the engine's data root. Without ``profile`` the one
    that fits the card found is taken. ``probe_image`` starts one short container. ``active``
    loads the devices too, which needs torch in this interpreter; facts that hold an ``active``
    section are judged by the active checks as well.

    Raises:
        InputError: no such profile.
    """
    if facts is None:
        facts = collect.host(identify=identify, probe_image=probe_image)
        if active is not None:
            facts = {**facts, "active": run.collect(active)}
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


def active_report(
    *,
    plan: Optional[Plan] = None,
    profile: str = "",
    facts: Optional[Mapping[str, Any]] = None,
) -> Report:
    """Load this machine's devices as ``plan`` says, or judge saved ``facts``, and nothing else.

    Raises:
        InputError: no such profile.
    """
    plan = plan or Plan()
    if facts is None:
        facts = {"active": run.collect(plan)}
    wanted = Wanted(device=plan.device, profile=_profile(profile, facts))
    return _report(registry.ACTIVE, facts, wanted)


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
    scopes = {scope: None, **({registry.ACTIVE: None} if registry.ACTIVE in facts else {})}
    found = judging.findings(registry.load(*scopes), facts, wanted)
    return Report(scope, facts, tuple(found))


def _profile(name: str, facts: Mapping[str, Any]) -> profiles.Profile:
    if name:
        return profiles.load(name)
    found = (_fitting(facts, path) for path in ("nvidia.devices", "active.devices"))
    return next((profile for profile in found if profile is not None), profiles.Profile())


def _fitting(facts: Mapping[str, Any], path: str) -> Optional[profiles.Profile]:
    try:
        cards = [card for card in Facts(facts).each(path) if not _is_cpu(card)]
        return profiles.fitting([card.text("pci_id") for card in cards])
    except (Unread, InputError):
        return None


def _is_cpu(card: Facts) -> bool:
    return (card.maybe_text("name") or "").startswith("CPU")
