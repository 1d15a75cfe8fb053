"""`invoke run-all`: plan, prove each environment, play the rounds, merge, show."""

from __future__ import annotations

import secrets
import shlex
import sys
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Mapping, Sequence

from rich.console import Console

from core.errors import InputError
from engines.base import Engine, Target
from engines.registry import EngineOptions, create
from images.config import load_table
from runs.catalog import offers
from runs.execute import RunOutcome, execute
from runs.plan import Origin, Plan, make_plan
from runs.progress import make_progress
from runs.select import Request
from runs.store import RunFolder, new_run_id, refuse_changed
from verbs import environments, report
from verbs.front import say
from verbs.ground import Ground, settle
from verbs.prove import not_proven, prove, stopping, summary
from workloads.registry import load as load_workloads
from workloads.trial import code_hash


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What a user may say of a run; None or empty takes the default."""

    names: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    preset: str = "quick"
    engine: str | None = None
    device: str = "auto"
    python: str | None = None
    rounds: int | None = None
    seed: int | None = None
    timeout_s: float | None = None
    memory: str | None = None
    out: Path
    override: bool = False


def run_all(options: RunOptions, ground: Ground | None = None) -> int:
    """Run the suite in every environment and report.

    Args:
        options: what was asked for.
        ground: what ``build`` on the same command line has settled already.

    Returns:
        0 all well; 1 a trial is at fault; 130 stopped by Ctrl-C, with a report of what was done.
    """
    table = load_table()
    rows = environments.chosen(table, [n for n in options.names if n != "host"])
    ground = ground or settle(
        engine=options.engine, device=options.device, environments=rows, override=options.override
    )
    environments.refuse_names_on_host(options.names, ground.engine)
    targets = environments.targets(rows, ground.engine, python=options.python)
    descriptions = [target.description for target in targets.values()]
    request = Request(
        preset=options.preset,
        device=ground.device,
        workloads=options.workloads,
        rounds=options.rounds,
        seed=secrets.randbelow(2**31) if options.seed is None else options.seed,
        timeout_s=options.timeout_s,
    )
    plan = make_plan(
        descriptions,
        offers(load_workloads()),
        request,
        _origin(table.baseline, ground, request.seed),
        created_at=datetime.now(timezone.utc),
    )
    folder = RunFolder.create(options.out, plan, descriptions)
    return _play(plan, folder, targets, ground, options)


def refuse_with_resume(given: Sequence[str]) -> None:
    """A resumed run goes on as it was planned.

    Raises:
        InputError: options that only a new run can take were given.
    """
    if given:
        raise InputError(
            f"{', '.join(given)} cannot be said with --resume.",
            why="A resumed run goes on exactly as it was planned.",
            remedy="Leave them out, or start a new run.",
        )


def resume(run: Path, options: RunOptions) -> int:
    """Go on with a run: only what is missing is played.

    Raises:
        InputError: the code or a lock changed since the run was planned.
    """
    folder = RunFolder(run)
    plan = folder.plan()
    table = load_table()
    rows = environments.chosen(table, [n for n in plan.environments if n != "host"])
    ground = settle(
        engine=plan.engine,
        device=plan.device,
        environments=rows,
        override=options.override,
        reason="as this run was planned",
    )
    targets = environments.targets(rows, plan.engine, python=_python_of(folder, plan))
    hashes = {name: str(t.description.get("lock_hash", "")) for name, t in targets.items()}
    refuse_changed(plan, code_hash=suite_hash(), lock_hashes=hashes)
    return _play(plan, folder, targets, ground, options)


def suite_hash() -> str:
    """The hash of the code whose change makes results incomparable, as every trial reports it."""
    return code_hash()


def _origin(baseline: str, ground: Ground, seed: int) -> Origin:
    command = shlex.join(["invoke", *_said()])
    again = command if "--seed" in command else f"{command} --seed {seed}"
    return Origin(
        engine=ground.engine,
        baseline=baseline,
        code_hash=suite_hash(),
        run_id=new_run_id(datetime.now(timezone.utc)),
        commands=(again,),
        notes=(ground.choice.announce(ground.device),),
    )


def _said() -> list[str]:
    return sys.argv[1:]


def _python_of(folder: RunFolder, plan: Plan) -> str | None:
    from core import jsonio

    known = jsonio.read(folder.path / "environments" / f"{plan.environments[0]}.json")
    return str(known["python"]) if plan.engine == "venv" else None


def _play(
    plan: Plan,
    folder: RunFolder,
    targets: Mapping[str, Target],
    ground: Ground,
    options: RunOptions,
) -> int:
    engine = create(ground.engine, EngineOptions(memory=options.memory))
    folder.write_facts("host", ground.host.to_dict())
    try:
        _prove_all(engine, targets, plan, folder, override=options.override)
        outcome = execute(plan, engine, targets, folder, make_progress(Console(stderr=True)))
    except KeyboardInterrupt:
        outcome = RunOutcome(0, len(plan.trials), {}, interrupted=True)
    for fault in outcome.faults:
        say(f"Not taken down cleanly: {fault}")
    status = report.write_and_show(folder)
    if outcome.interrupted:
        again = f"invoke run-all --resume {shlex.quote(str(folder.path))}"
        say(f"Stopped by Ctrl-C. Go on with: {again}")
        return 130
    return max(status, outcome.exit_status)


def _prove_all(
    engine: Engine,
    targets: Mapping[str, Target],
    plan: Plan,
    folder: RunFolder,
    *,
    override: bool,
) -> None:
    for name in plan.environments:
        document, findings = prove(
            engine, targets[name], device=plan.device, label=plan.run_id, code_hash=plan.code_hash
        )
        folder.write_facts(name, document)
        say(f"{name}: {summary(findings)}")
        failed = stopping(findings)
        if failed and not override:
            raise not_proven(name, failed)
