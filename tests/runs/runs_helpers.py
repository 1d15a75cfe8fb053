"""Doubles of the engines' Protocol, and small plans, for tests of runs."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

from core.records import TrialResult
from core.status import TrialStatus
from engines.base import Outcome, Target
from runs.catalog import Offer
from runs.plan import Origin, Plan, make_plan
from runs.select import Request

ROOT = Path(__file__).resolve().parents[2]
OLD, NEW = "torch113-cuda117", "torch28-cuda124"


def offer(workload: str, variant: str = "fp32", **changes: Any) -> Offer:
    seconds = {p: {"cpu": 1.0, "cuda": 1.0} for p in ("smoke", "quick", "full", "published")}
    fields = {"devices": ("cpu", "cuda"), "seconds": seconds, **changes}
    return Offer(workload, variant, **fields)


OFFERS = [offer("matmul", published_cpu=True), offer("svd"), offer("sigmoid", "eager")]
DESCRIPTIONS = [
    {"name": NEW, "torch": "2.8.0", "lock_hash": "b" * 64},
    {"name": OLD, "torch": "1.13.1", "lock_hash": "a" * 64},
]


def plan(request: Request | None = None, **changes: Any) -> Plan:
    fields = {"descriptions": DESCRIPTIONS, "offers": OFFERS, **changes}
    return make_plan(
        fields["descriptions"],
        fields["offers"],
        request or Request("smoke", "cpu"),
        Origin(engine="venv", baseline=OLD, code_hash="c" * 64, run_id="20260102-030405-abcdef"),
        created_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc),
    )


def targets() -> dict[str, Target]:
    return {
        str(item["name"]): Target(str(item["name"]), item, None, None, "3.10")
        for item in DESCRIPTIONS
    }


def option(args: Sequence[str], name: str) -> str | None:
    return args[args.index(name) + 1] if name in args else None


def answer(args: Sequence[str], **changes: Any) -> dict[str, Any]:
    """What ``python -m workloads --trial`` prints for these arguments."""
    result = TrialResult(
        workload=str(option(args, "--workload")),
        variant=str(option(args, "--variant")),
        device=str(option(args, "--device")),
        preset=str(option(args, "--preset")),
        seed=int(str(option(args, "--seed"))),
        status=TrialStatus.OK,
        median_s=0.01,
        samples_s=(0.01, 0.011, 0.0099),
        calls_per_sample=int(option(args, "--calls") or 7),
        settings={"threads": 2},
        identity={"torch": "2.8.0"},
        code_hash="c" * 64,
    )
    return {**result.to_dict(), **changes}


def outcome(stdout: Any = b"", **changes: Any) -> Outcome:
    raw = stdout if isinstance(stdout, bytes) else json.dumps(stdout).encode()
    fields = {
        "returncode": 0,
        "log": "",
        "timed_out": False,
        "lost": False,
        "reason": "",
        **changes,
    }
    return Outcome(stdout=raw, elapsed_s=0.5, **fields)


LOST = outcome(lost=True, reason="the container went away", returncode=-1)


@dataclass
class FakeSession:
    """Answers from a function; remembers what it was asked."""

    engine: FakeEngine
    environment: str
    identity: Mapping[str, Any] = field(default_factory=lambda: {"image_id": "sha256:1"})

    def python(
        self, args: Sequence[str], *, timeout_s: float, env: Mapping[str, str] | None = None
    ) -> Outcome:
        """Remember and answer."""
        assert env is None
        self.engine.asked.append((self.environment, list(args), timeout_s))
        return self.engine.reply(self.environment, args)

    def close(self) -> None:
        """Remember."""
        self.engine.closed.append(self.environment)

    def __enter__(self) -> FakeSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class FakeEngine:
    """An engine whose sessions answer from ``reply(environment, args)``."""

    reply: Callable[[str, Sequence[str]], Outcome] = lambda _env, args: outcome(answer(args))
    name: str = "fake"
    managed: bool = True
    opened: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    asked: list[tuple[str, list[str], float]] = field(default_factory=list)

    def open(self, target: Target, *, device: str, label: str) -> FakeSession:
        """Remember the environment."""
        assert device in ("cpu", "cuda")
        assert label
        self.opened.append(target.environment)
        return FakeSession(self, target.environment)


@dataclass
class SubprocessSession:
    """The suite of this checkout in a real interpreter, without containers."""

    python_path: str
    identity: Mapping[str, Any] = field(default_factory=dict)

    def python(
        self, args: Sequence[str], *, timeout_s: float, env: Mapping[str, str] | None = None
    ) -> Outcome:
        """One process of the interpreter."""
        begin = time.monotonic()
        variables = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        ran = subprocess.run(
            [self.python_path, *args],
            capture_output=True,
            timeout=timeout_s,
            env=variables,
            cwd=ROOT,
            check=False,
        )
        return Outcome(
            returncode=ran.returncode,
            stdout=ran.stdout,
            log=ran.stderr.decode("utf-8", "replace")[-4000:],
            timed_out=False,
            lost=False,
            reason="",
            elapsed_s=time.monotonic() - begin,
        )

    def close(self) -> None:
        """Nothing was put up."""

    def __enter__(self) -> SubprocessSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class SubprocessEngine:
    """Interpreters by environment."""

    interpreters: Mapping[str, str]
    name: str = "subprocess"
    managed: bool = True

    def open(self, target: Target, *, device: str, label: str) -> SubprocessSession:
        """Nothing has to be started."""
        assert device == "cpu"
        assert label
        return SubprocessSession(self.interpreters[target.environment])


class Silent:
    """A progress that shows nothing."""

    def start(self, plan: Plan, trials: Sequence[Any]) -> None:
        """Nothing."""

    def trial_started(self, trial: Any) -> None:
        """Nothing."""

    def trial_done(self, trial: Any, result: TrialResult) -> None:
        """Nothing."""

    def stop(self) -> None:
        """Nothing."""
