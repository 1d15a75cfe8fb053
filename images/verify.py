"""Proof: envcheck inside a new image, before the image gets its name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from core.errors import CheckFailed
from engines import container

VERIFY_S = 300.0
COMMAND = ("python", "-m", "envcheck", "--device", "cpu", "--json", "-")


def verify(client: Any, image: str, environment: str) -> list[dict[str, Any]]:
    """Run envcheck in a container as trials run: an ordinary user, no network, read-only.

    Returns:
        The findings, as plain data.

    Raises:
        CheckFailed: a check failed, or envcheck itself did not end well.
    """
    status, output, log = run(client, image, environment)
    findings = findings_in(output)
    if status != 0:
        raise CheckFailed(
            f"The new image of {environment} is not what it claims to be; it was not tagged.",
            why=_failures(findings) or log[-2000:].strip() or f"envcheck ended with {status}.",
            remedy=_remedies(findings) or "Correct the table or the base, and build again.",
        )
    return findings


def run(client: Any, image: str, environment: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of envcheck in a fresh container.

    The container is removed whatever happens.
    """
    options = container.options(
        image,
        name=container.new_name("verify", environment),
        label="verify",
        limits=container.Limits(),
        command=COMMAND,
    )
    from docker.errors import APIError
    from requests.exceptions import RequestException

    started = client.containers.create(**options)
    try:
        started.start()
        status = int(started.wait(timeout=VERIFY_S)["StatusCode"])
        output = started.logs(stdout=True, stderr=False).decode("utf-8", "replace")
        log = started.logs(stdout=False, stderr=True).decode("utf-8", "replace")
        return status, output, log
    except (APIError, RequestException) as error:
        raise CheckFailed(
            f"envcheck could not be run to its end in the new image of {environment}.",
            why=f"{getattr(error, 'explanation', None) or error}",
            remedy=f"It has {VERIFY_S:.0f} s; look at the engine's log and load, and try again.",
        ) from error
    finally:
        started.remove(force=True, v=True)


def findings_in(output: str) -> list[dict[str, Any]]:
    """The findings in envcheck's JSON; empty where there is none to be read."""
    try:
        data = json.loads(output[output.index("{") :])
    except ValueError:
        return []
    found = data.get("findings", []) if isinstance(data, Mapping) else []
    return [dict(finding) for finding in found if isinstance(finding, Mapping)]


def _failures(findings: list[dict[str, Any]]) -> str:
    failed = [finding for finding in findings if finding.get("status") == "fail"]
    return " ".join(
        f"{finding.get('title')}: measured {finding.get('measured')}, expected "
        f"{finding.get('expected')} ({_sentence(finding.get('reason'))})."
        for finding in failed
    )


def _remedies(findings: list[dict[str, Any]]) -> str:
    remedies = [
        str(finding.get("remedy", "")) for finding in findings if finding.get("status") == "fail"
    ]
    return " ".join(dict.fromkeys(filter(None, remedies)))


def _sentence(reason: object) -> str:
    return re.sub(r"\.$", "", str(reason or "no reason given"))
