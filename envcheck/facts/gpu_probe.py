"""One short container that looks for the card, by every way an engine may have."""

from __future__ import annotations

import secrets
from typing import Any

from envcheck.facts.field import unavailable
from envcheck.facts.shell import Ran, run

WAYS = {
    "gpus": ("--gpus", "all"),
    "cdi": ("--device", "nvidia.com/gpu=all"),
    "runtime": ("--runtime", "nvidia", "-e", "NVIDIA_VISIBLE_DEVICES=all"),
}
TIMEOUT_S = 30.0
KEPT = 1000


def probe(image: str) -> Any:
    """``returncode``, ``text`` and ``way`` of the first way that shows a card, else of the first.

    The container has no network and is removed; nothing is pulled.
    """
    if not image:
        return unavailable("no probe image was named and none was built")
    answers = []
    for way in WAYS:
        answers.append((way, _try(image, way)))
        if sees_gpu(answers[-1][1]):
            break
    way, ran = answers[-1] if sees_gpu(answers[-1][1]) else answers[0]
    return {"way": way, "returncode": ran.returncode, "text": (ran.why or ran.text)[:KEPT]}


def sees_gpu(ran: Ran) -> bool:
    """Whether ``nvidia-smi -L`` listed a card."""
    listed = any(line.startswith("GPU ") for line in ran.out.splitlines())
    return not ran.why and ran.returncode == 0 and listed


def _try(image: str, way: str) -> Ran:
    name = f"torchrig-envcheck-{secrets.token_hex(4)}"
    marks = ["--name", name, "--label", "io.torchrig=1", "--label", "io.torchrig.run=envcheck"]
    argv = ["docker", "run", "--rm", "--pull", "never", "--network", "none", *marks, *WAYS[way]]
    ran = run([*argv, "--entrypoint", "nvidia-smi", image, "-L"], timeout_s=TIMEOUT_S)
    if ran.why:
        run(["docker", "rm", "--force", name])
    return ran
