"""`invoke envcheck`: judge this host, a saved one, or an environment of the table."""

from __future__ import annotations

import os
from argparse import Namespace
from contextlib import closing
from pathlib import Path
from typing import Any, Iterable, Mapping, TextIO

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from core.errors import InputError
from core.records import Finding
from core.status import CheckStatus
from engines.base import Engine, Target
from engines.client import connect, probe
from engines.registry import create
from engines.select import choose
from envcheck import api, cli, text, verdict
from envcheck.active.plan import Plan, announcement
from images.config import load_table
from images.schema import Environment
from verbs import environments
from verbs.front import say
from verbs.ground import SPACE_PER_IMAGE
from verbs.prove import document_of

LIMIT_S = 300.0
DEVICES = ("/dev/nvidiactl", "/dev/dxg")
COLOURS = {"pass": "green", "info": "cyan", "warn": "yellow", "fail": "bold red", "skip": "dim"}
PLAIN_WIDTH = "120"


def envcheck(*, arguments: Iterable[str], names: Iterable[str], engine: str | None) -> int:
    """Run envcheck as a user would inside an environment, or on this host.

    Args:
        arguments: options of ``python -m envcheck`` as given.
        names: rows of the table; empty judges the host.
        engine: what ``--engine`` says, for environments.

    Returns:
        The worst exit status: 0, 1 or 2.

    Raises:
        InputError: options that contradict each other, or a file that cannot be written.
        EngineError: the environment cannot be started.
    """
    given, wanted = list(arguments), list(names)
    options = cli.parser().parse_args(given)
    cli.one_on_stdout(options)
    if options.list or not wanted:
        return _host(given, options, engine)
    if options.facts:
        raise InputError(
            "--facts judges a saved machine, --env one that runs here.",
            remedy="Leave one of them out.",
        )
    return max(_environment(name, options, engine, alone=len(wanted) == 1) for name in wanted)


def _host(arguments: list[str], options: Namespace, engine: str | None) -> int:
    plan = cli.plan(options)
    rows = environments.chosen(load_table(), [])
    known: dict[str, Any] = {"environments": [row.model_dump() for row in rows]}
    if not options.facts and not options.list and probe().usable:
        known.update(_engine_needs(rows))
    if plan is not None:
        known["active"] = lambda: _active_section(rows, options, plan, engine)
    return cli.main(["--host", *arguments], show=show, **known)


def _engine_needs(rows: Iterable[Environment]) -> dict[str, Any]:
    """Space for the images still to be built, and one that is there to look for the card with."""
    with closing(connect()) as client:
        there = [row.tag for row in rows if client.images.list(name=row.tag)]
    missing = len(list(rows)) - len(there)
    return {
        "space_bytes": SPACE_PER_IMAGE * missing or None,
        "probe_image": there[-1] if there and _has_gpu() else "",
    }


def _has_gpu() -> bool:
    return any(Path(device).exists() for device in DEVICES)


def _active_section(
    rows: tuple[Environment, ...], options: Namespace, plan: Plan, engine: str | None
) -> Any:
    """The facts of the active checks, made in the newest torch: the host side has none."""
    newest = max(rows, key=lambda row: tuple(int(part) for part in row.torch.split(".")))
    say(f"{announcement(plan, 1)} (in {newest.name})")
    return _inside(newest.name, options, engine)["facts"].get("active")


def _environment(name: str, options: Namespace, engine: str | None, *, alone: bool) -> int:
    document = _inside(name, options, engine)
    findings = tuple(Finding.from_dict(item) for item in document["findings"])
    report = api.Report(document["scope"], document["facts"], findings)
    cli.write(report, options if alone else _named(options, name), name)
    word = report.verdict(strict=options.strict)
    show(report, word, cli.stream(options), title=name)
    return verdict.exit_status(word)


def _named(options: Namespace, name: str) -> Namespace:
    """The same options with this environment's name in every file: ``check.NAME.json``."""
    changed = Namespace(**vars(options))
    for key in ("json", "junit", "save_facts"):
        target = getattr(options, key)
        if target and target != "-":
            path = Path(target)
            setattr(changed, key, str(path.with_name(f"{path.stem}.{name}{path.suffix}")))
    return changed


def _inside(name: str, options: Namespace, asked: str | None) -> Mapping[str, Any]:
    """What envcheck says inside an environment, as its JSON document."""
    choice = choose(asked, probe())
    environments.refuse_names_on_host([name], choice.engine)
    target = _target(name, choice.engine)
    device = ("cuda" if _has_gpu() else "cpu") if options.device == "auto" else options.device
    return _ask(create(choice.engine), target, device, options)


def _target(name: str, engine: str) -> Target:
    rows = () if engine == "host" else environments.chosen(load_table(), [name])
    return environments.targets(rows, engine)[name]


def _ask(engine: Engine, target: Target, device: str, options: Namespace) -> Mapping[str, Any]:
    with engine.open(target, device=device, label="envcheck") as session:
        outcome = session.python(
            ["-m", "envcheck", *_arguments(options), "--json", "-"],
            timeout_s=LIMIT_S + options.burn_in,
        )
    return document_of(target.environment, outcome)


def _arguments(options: Namespace) -> list[str]:
    """What the environment's own envcheck has to know; files are written on this side."""
    given = {
        "--device": options.device,
        "--profile": options.profile,
        "--inject": "" if options.inject == "none" else options.inject,
        "--burn-in": options.burn_in,
    }
    flags = {"--identify": options.identify, "--active": options.active}
    words = [part for name, value in given.items() if value for part in (name, str(value))]
    return [*words, *(name for name, on in flags.items() if on)]


def show(report: api.Report, word: str, stream: TextIO, title: str = "") -> None:
    """Print the findings as a table; what was not judged below it, the verdict last."""
    console = Console(file=stream, width=_width(stream), highlight=False)
    findings = [text.harmless(item) for item in report.findings]
    grid = Grid(title=title or None, title_justify="left", expand=False)
    for column in ("", "check", "measured", "expected, reason, remedy"):
        grid.add_column(column, overflow="fold")
    for item in findings:
        if item.status is not CheckStatus.SKIP:
            grid.add_row(*_cells(item))
    console.print(grid)
    for reason, ids in text.skips(findings).items():
        console.print(Text(f"skip  {', '.join(ids)}: {reason}", style=COLOURS["skip"]))
    console.print(Text(text.summary(findings, word), style=COLOURS.get(word, "bold red")))


def _cells(item: Finding) -> tuple[Text, ...]:
    bad = item.status in (CheckStatus.WARN, CheckStatus.FAIL)
    parts = [item.reason, f"Expected: {item.expected}." if bad else "", text.labelled(item.remedy)]
    told = "\n".join(part for part in parts if part) or item.expected
    style = COLOURS[item.status.value]
    return (
        Text(item.status.value, style=style),
        Text(item.title),
        Text(item.measured),
        Text(told, style="" if bad else "dim"),
    )


def _width(stream: TextIO) -> int | None:
    """The terminal's own width; without one, what $COLUMNS says, else enough to read."""
    return None if stream.isatty() else int(os.environ.get("COLUMNS") or PLAIN_WIDTH)
