"""The command line: ``python -m envcheck``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Sequence

from core import jsonio
from core.errors import TorchrigError
from envcheck import api, profiles, saved, text, verdict
from envcheck.checks import registry
from envcheck.wanted import DEVICES


def main(argv: Sequence[str]) -> int:
    """Judge, print, and give the exit status: 0 all well, 1 a check failed, 2 wrong input."""
    options = _parser().parse_args(argv)
    try:
        return _run(options)
    except TorchrigError as error:
        sys.stderr.write(f"envcheck: {error}\n")
        return error.exit_code


def _run(options: argparse.Namespace) -> int:
    if options.list:
        sys.stdout.write(text.catalogue(registry.load()))
        return 0
    report = _report(options)
    word = report.verdict(strict=options.strict)
    if options.save_facts:
        document = saved.document(report.facts, report.scope)
        _write(options.save_facts, jsonio.dumps(document))
    if options.json:
        _write(options.json, jsonio.dumps(report.to_dict(strict=options.strict)))
    stream = sys.stderr if "-" in (options.json, options.save_facts) else sys.stdout
    stream.write(text.findings(list(report.findings), verdict=word))
    return verdict.exit_status(word)


def _report(options: argparse.Namespace) -> api.Report:
    scope, facts = ("host" if options.host else "environment"), None
    if options.facts:
        scope, facts = saved.read(Path(options.facts))
    described = api.described_environment()
    if scope == "host":
        return api.host_report(
            device=options.device,
            environments=[described] if described else [],
            space_bytes=options.space_bytes,
            profile=options.profile,
            facts=facts,
            identify=options.identify,
            probe_image=options.probe_image,
        )
    return api.environment_report(
        environment=described, device=options.device, facts=facts, identify=options.identify
    )


def _write(target: str, content: str) -> None:
    if target == "-":
        sys.stdout.write(content)
        return
    jsonio.write_text(Path(target), content)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m envcheck",
        description="Judge this environment (or, with --host, this host): facts, checks, verdict.",
    )
    add = parser.add_argument
    add("--host", action="store_true", help="judge the host instead of this environment")
    add("--device", choices=DEVICES, default="auto", help="cuda: a GPU is required; cpu: ignore it")
    add("--profile", default="", metavar="NAME", help=f"one of {', '.join(profiles.names())}")
    add("--facts", metavar="FILE", help="judge saved facts instead of this machine")
    add("--save-facts", metavar="FILE", help="write the facts (- for stdout)")
    add("--json", metavar="FILE", help="write facts and findings (- for stdout)")
    add("--strict", action="store_true", help="warnings fail")
    add("--identify", action="store_true", help="keep UUIDs and home folders in the facts")
    add("--space-bytes", type=int, metavar="N", help="bytes needed at the engine's data root")
    add("--probe-image", default="", metavar="IMAGE", help="start a GPU container of this image")
    add("--list", action="store_true", help="every check and what it looks at")
    return parser
