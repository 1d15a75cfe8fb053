"""Envcheck inside an environment, through the engine that will run the trials there."""

from __future__ import annotations

from typing import Any, Mapping

from core import jsonio
from core.errors import BuildError, CheckFailed, ResultError
from core.records import Finding
from core.status import CheckStatus
from engines.base import Engine, Outcome, Target

LIMIT_S = 300.0
COSTS_ROWS = ("device.architecture", "toolchain.nvcc")
"""Failures that cost rows and do not stop a run: without code for the card every trial is
``unsupported``, and with a toolkit of another CUDA the extension's CUDA rows are ``skipped``."""


_CODE_HASH = "from workloads.trial import code_hash; print(code_hash())"


def prove(
    engine: Engine, target: Target, *, device: str, label: str, code_hash: str
) -> tuple[Mapping[str, Any], list[Finding]]:
    """Judge an environment where it is going to run.

    Args:
        engine: what starts it.
        target: the environment.
        device: ``cpu`` or ``cuda``.
        label: the run's id.
        code_hash: of this checkout's suite, which the environment must hold.

    Returns:
        The envcheck document and its findings.

    Raises:
        EngineError: the environment cannot be started.
        BuildError: the environment holds another state of the suite than this checkout.
        CheckFailed: envcheck itself did not end with a document.
    """
    with engine.open(target, device=device, label=label) as session:
        inside = session.python(["-c", _CODE_HASH], timeout_s=LIMIT_S)
        _refuse_other_code(target.environment, inside, code_hash)
        outcome = session.python(
            ["-m", "envcheck", "--device", device, "--json", "-"], timeout_s=LIMIT_S
        )
    document = document_of(target.environment, outcome)
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


def _refuse_other_code(name: str, inside: Outcome, expected: str) -> None:
    if inside.stdout.decode("utf-8", "replace").strip() == expected:
        return
    raise BuildError(
        f"Environment {name} holds another state of the suite than this checkout.",
        why="It was built before the code was changed, so its results would not be comparable.",
        remedy=f"Build it again, which installs nothing anew: invoke build --env {name} run-all.",
    )


def document_of(name: str, outcome: Outcome) -> Mapping[str, Any]:
    """The envcheck document that a process in an environment printed.

    Raises:
        CheckFailed: it printed none.
    """
    try:
        data = jsonio.loads(outcome.stdout.decode("utf-8", "replace"), name="envcheck's output")
    except ResultError:
        data = None
    if isinstance(data, dict) and isinstance(data.get("findings"), list):
        return data
    last = outcome.log.strip().splitlines()[-1:] or ["it printed nothing"]
    raise CheckFailed(
        f"envcheck did not come to an end in environment {name}.",
        why=f"{outcome.reason or f'It ended with {outcome.returncode}'}: {last[0][:500]}",
        remedy="Build the environment again with --force and read what it prints.",
    )
