"""The ground a job stands on: which engine, which device, and whether this host is right."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Sequence

from core.errors import CheckFailed, EngineError, InputError
from core.records import Finding
from core.status import CheckStatus
from engines.client import connect, probe
from engines.gpu import require_gpu_path
from engines.select import Choice, choose
from envcheck.api import Report, host_report
from envcheck.reading import Facts, Unread
from images.build import built
from images.schema import Environment
from verbs.front import say

DEVICES = ("auto", "cpu", "cuda")
SPACE_PER_IMAGE = 12 * 1024**3
"""Bytes that one image and its build cache take at the engine's data root: the largest one of the
table was measured at 7 GB above its base (docs/images.md)."""

ENGINE_CHECKS = ("engine.", "container.")
"""Checks that judge the Docker engine; they bind only where Docker serves."""


@dataclass(frozen=True)
class Ground:
    """Engine, device and host, settled once for the whole command line."""

    choice: Choice
    device: str
    host: Report

    @property
    def engine(self) -> str:
        """The engine's name."""
        return self.choice.engine


def settle(
    *,
    engine: str | None,
    device: str,
    environments: Sequence[Environment],
    override: bool,
    building: bool = False,
    reason: str = "",
) -> Ground:
    """Choose engine and device, judge the host, and say all three aloud.

    Args:
        engine: what ``--engine`` says, or None.
        device: ``auto``, ``cpu`` or ``cuda``.
        environments: what is going to be built or run.
        override: go on although a host check failed (``--ignore-checks``).
        building: whether images that do not exist yet are going to be built.

        reason: why this engine, where nobody said it on this command line.

    Raises:
        InputError: there is no such device.
        EngineRefused: the engine that should serve cannot.
        EngineError: a GPU was asked for and this host has none.
        CheckFailed: a host check failed and was not overridden.
    """
    if device not in DEVICES:
        raise InputError(
            f"There is no device {device!r}.", remedy=f"Choose one of {', '.join(DEVICES)}."
        )
    choice = choose(engine, probe())
    choice = replace(choice, reason=reason) if reason else choice
    report = host_report(
        device=device,
        environments=[environment.model_dump() for environment in environments],
        space_bytes=_space(environments) if building and choice.engine == "docker" else None,
    )
    settled = _device(device, report)
    say(choice.announce(settled))
    if choice.engine == "docker" and settled == "cuda":
        with closing(connect()) as client:
            require_gpu_path(client)
    if settled == "cpu" and device == "auto":
        say("Device cpu: no NVIDIA GPU was found on this host.")
    _judge(report, choice.engine, override=override)
    return Ground(choice, settled, report)


def has_gpu(report: Report) -> bool:
    """Whether the driver shows at least one GPU."""
    try:
        return bool(Facts(report.facts).each("nvidia.devices"))
    except Unread:
        return False


def binding(findings: Sequence[Finding], engine: str) -> list[Finding]:
    """The findings that bind for this engine: Docker's own only where Docker serves."""
    return [f for f in findings if engine == "docker" or not f.id.startswith(ENGINE_CHECKS)]


def told(finding: Finding) -> str:
    """One finding as a line: status, title, reason, remedy."""
    parts = (f"{finding.status.value.upper()} {finding.title}:", finding.reason, finding.remedy)
    return " ".join(part for part in parts if part)


def _space(environments: Sequence[Environment]) -> int | None:
    """Bytes that the images still to be made need; None where all are there."""
    missing = sum(built(environment) is None for environment in environments)
    return SPACE_PER_IMAGE * missing or None


def _device(asked: str, report: Report) -> str:
    if asked == "cuda" and not has_gpu(report):
        raise EngineError(
            "--device cuda was said, and this host shows no NVIDIA GPU.",
            why="Neither NVML nor nvidia-smi lists one.",
            remedy="Run `invoke envcheck --device cuda` to see why, or say --device cpu.",
        )
    if asked == "auto":
        return "cuda" if has_gpu(report) else "cpu"
    return asked


def _judge(report: Report, engine: str, *, override: bool) -> None:
    bad = [
        f
        for f in binding(report.findings, engine)
        if f.status in (CheckStatus.FAIL, CheckStatus.WARN)
    ]
    for finding in bad:
        say(told(finding))
    failed = [f for f in bad if f.status is CheckStatus.FAIL]
    if failed and not override:
        raise CheckFailed(
            f"This host is not ready: {', '.join(f.title for f in failed)}.",
            why=failed[0].reason,
            remedy=f"{failed[0].remedy} To go on all the same, say --ignore-checks.",
        )
