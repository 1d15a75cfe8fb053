"""The command line: ``python -m envcheck``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Callable, Mapping, NoReturn, Optional, Sequence, TextIO

from core import jsonio
from core.errors import InputError, TorchrigError
from envcheck import api, junit, profiles, saved, text, verdict
from envcheck.active.plan import INJECTIONS, Plan
from envcheck.checks import registry
from envcheck.facts import collect
from envcheck.wanted import DEVICES

LONGEST_S = 30 * 86400.0
Show = Callable[[api.Report, str, TextIO], None]


class _Parser(argparse.ArgumentParser):
    """Says what is wrong as every other error of ours does."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line.

        Raises:
            InputError: always.
        """
        raise InputError(
            f"{message[:1].upper()}{message[1:]}.", remedy=f"{self.prog} --help shows every option."
        )


def show_plain(report: api.Report, word: str, stream: TextIO) -> None:
    """Print the findings as aligned text."""
    stream.write(text.findings(list(report.findings), verdict=word))


def main(
    argv: Sequence[str],
    *,
    environments: Sequence[Mapping[str, Any]] = (),
    space_bytes: Optional[int] = None,
    probe_image: str = "",
    active: Optional[Callable[[], Any]] = None,
    show: Show = show_plain,
) -> int:
    """Judge, print, and give the exit status: 0 all well, 1 a check failed, 2 wrong input.

    What a caller on the host side knows beyond the arguments: the ``environments`` that the host
    is to run, the ``space_bytes`` that their images still need, an image to probe with, where
    else the ``active`` section can be had (this interpreter needs torch for it), and another way
    to ``show`` the findings.
    """
    try:
        options = parser().parse_args(argv)
        options.environments = list(environments)
        options.space_bytes = space_bytes if options.space_bytes is None else options.space_bytes
        options.probe_image = options.probe_image or probe_image
        return _run(options, active, show)
    except TorchrigError as error:
        sys.stderr.write(f"envcheck: {error}\n")
        return error.exit_code


def _run(options: argparse.Namespace, active: Optional[Callable[[], Any]], show: Show) -> int:
    if options.list:
        sys.stdout.write(text.catalogue(registry.load()))
        return 0
    one_on_stdout(options)
    report = _report(options, active)
    word = report.verdict(strict=options.strict)
    write(report, options)
    show(report, word, stream(options))
    return verdict.exit_status(word)


def one_on_stdout(options: argparse.Namespace) -> None:
    """Refuse two documents on standard output.

    Raises:
        InputError: more than one of the files is ``-``.
    """
    if _targets(options).count("-") > 1:
        raise InputError(
            "Standard output can take one document.",
            why="More than one of --json, --junit and --save-facts is -.",
            remedy="Name a file for the others.",
        )


def write(report: api.Report, options: argparse.Namespace, name: str = "") -> None:
    """Write every document that was asked for; ``name`` is the environment's.

    Raises:
        InputError: a file cannot be written.
    """
    strict = options.strict
    if options.save_facts:
        document = saved.document(report.facts, report.scope)
        _write(options.save_facts, jsonio.dumps(document))
    if options.json:
        _write(options.json, jsonio.dumps(report.to_dict(strict=strict)))
    if options.junit:
        _write(options.junit, junit.report(report.scope, report.findings, strict=strict, name=name))


def stream(options: argparse.Namespace) -> TextIO:
    """Where a person reads: standard error where standard output carries a document."""
    return sys.stderr if "-" in _targets(options) else sys.stdout


def _targets(options: argparse.Namespace) -> list[Optional[str]]:
    return [options.json, options.junit, options.save_facts]


def _report(options: argparse.Namespace, active: Optional[Callable[[], Any]]) -> api.Report:
    asked = plan(options)
    scope, facts = ("host" if options.host else "active" if asked else "environment"), None
    if options.facts:
        scope, facts = saved.read(Path(options.facts))
    described = api.described_environment()
    if scope == "host":
        if asked and active:
            read = collect.host(identify=options.identify, probe_image=options.probe_image)
            facts = {**read, "active": active()}
        return api.host_report(
            device=options.device,
            environments=[described] if described else options.environments,
            space_bytes=options.space_bytes,
            profile=options.profile,
            facts=facts,
            identify=options.identify,
            probe_image=options.probe_image,
            active=asked,
        )
    if scope == "active":
        asked = asked or Plan(device=options.device)
        return api.active_report(plan=asked, profile=options.profile, facts=facts)
    return api.environment_report(
        environment=described, device=options.device, facts=facts, identify=options.identify
    )


def plan(options: argparse.Namespace) -> Optional[Plan]:
    """The active checks that were asked for, None where none were."""
    if not 0 <= options.burn_in < LONGEST_S:
        raise InputError("A burn-in takes from 0 s to 30 days.", remedy="Say --burn-in 300.")
    if not (options.active or options.burn_in or options.inject != "none"):
        return None
    if options.facts:
        raise InputError(
            "--facts judges what was saved; --active and --burn-in work on this machine.",
            remedy="Leave one of them out.",
        )
    return Plan(options.device, options.burn_in, options.inject, options.identify)


def _write(target: str, content: str) -> None:
    if target == "-":
        sys.stdout.write(content)
        return
    try:
        jsonio.write_text(Path(target), content)
    except OSError as error:
        raise InputError(
            f"{target} cannot be written.",
            why=f"{error.strerror or error}.",
            remedy="Name a file in a folder where this user may write, or - for standard output.",
        ) from error


def parser() -> argparse.ArgumentParser:
    """The options of ``python -m envcheck``."""
    made = _Parser(
        prog="python -m envcheck",
        description="Judge this environment (or, with --host, this host): facts, checks, verdict.",
    )
    add = made.add_argument
    add("--host", action="store_true", help="judge the host instead of this environment")
    add("--device", choices=DEVICES, default="auto", help="cuda: a GPU is required; cpu: ignore it")
    add("--profile", default="", metavar="NAME", help=f"one of {', '.join(profiles.names())}")
    add("--facts", metavar="FILE", help="judge saved facts instead of this machine")
    add("--save-facts", metavar="FILE", help="write the facts (- for stdout)")
    add("--json", metavar="FILE", help="write facts and findings (- for stdout)")
    add("--junit", metavar="FILE", help="write a JUnit report (- for stdout)")
    add("--strict", action="store_true", help="warnings fail")
    add("--identify", action="store_true", help="keep UUIDs, hosts and home folders")
    add("--space-bytes", type=int, metavar="N", help="bytes needed at the engine's data root")
    add("--probe-image", default="", metavar="IMAGE", help="start a GPU container of this image")
    add("--active", action="store_true", help="load the devices and compare what they compute")
    add("--burn-in", type=float, default=0.0, metavar="SECONDS", help="--active for so long")
    add("--inject", choices=INJECTIONS, default="none", help="prove that --active finds a fault")
    add("--list", action="store_true", help="every check and what it looks at")
    return made
