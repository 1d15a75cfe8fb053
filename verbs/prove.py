"""Envcheck inside an environment, through the engine that will run the trials there."""

from __future__ import annotations

from typing import Any, Mapping

from core import jsonio
from core.errors import CheckFailed, ResultError
from core.records import Finding
from core.status import CheckStatus
from engines.base import Engine, Outcome, Target

LIMIT_S = 300.0
COSTS_ROWS = ("device.architecture", "toolchain.nvcc")
"""Failures that cost rows and do not stop a run: without code for the card every trial is
``unsupported``, and with a toolkit of another CUDA the extension's CUDA rows are ``skipped``."""


def prove(
    engine: Engine, target: Target, *, device: str, label: str
) -> tuple[Mapping[str, Any], list[Finding]]:
    """Judge an environment where it is going to run.

    Returns:
        The envcheck document and its findings.

    Raises:
        EngineError: the environment cannot be started.
        CheckFailed: envcheck itself did not end with a document.
    """
    with engine.open(target, device=device, label=label) as session:
        outcome = session.python(
            ["-m", "envcheck", "--device", device, "--json", "-"], timeout_s=LIMIT_S
        )
    document = _document(target.environment, outcome)
    return document, [Finding.from_dict(item) for item in document["findings"]]


def stopping(findings: list[Finding]) -> list[Finding]:
    """The findings that forbid measuring in this environment."""
    return [f for f in findings if f.status is CheckStatus.FAIL and f.id not in COSTS_ROWS]


def not_proven(name: str, failed: list[Finding]) -> CheckFailed:
    """The error for an environment that is not what it claims to be."""
    return CheckFailed(
        f"Environment {name} failed its checks: {', '.join(f.title for f in failed)}.",
        why=" ".join(f"{f.reason} (measured {f.measured}, expected {f.expected})" for f in failed),
        remedy=f"{failed[0].remedy} To measure it all the same, say --ignore-checks.",
    )


def summary(findings: list[Finding]) -> str:
    """``17 checks passed, 1 warned``: what a person needs in one line."""
    words = {
        CheckStatus.PASS: "passed",
        CheckStatus.INFO: "for information",
        CheckStatus.WARN: "warned",
        CheckStatus.FAIL: "failed",
        CheckStatus.SKIP: "not applicable here",
    }
    counts = {status: sum(f.status is status for f in findings) for status in words}
    told = ", ".join(f"{counts[status]} {word}" for status, word in words.items() if counts[status])
    return f"envcheck: {told}"


def _document(name: str, outcome: Outcome) -> Mapping[str, Any]:
    try:
        data = jsonio.loads(outcome.stdout.decode("utf-8", "replace"), name="envcheck's output")
    except ResultError:
        data = None
    if isinstance(data, dict) and isinstance(data.get("findings"), list):
        return data
    last = outcome.log.strip().splitlines()[-1:] or ["it printed nothing"]
    raise CheckFailed(
        f"envcheck did not come to an end in environment {name}.",
        why=f"{outcome.reason or f'It ended with {outcome.returncode}'}: {last[0][:500]}.",
        remedy="Build the environment again with --force and read what it prints.",
    )
