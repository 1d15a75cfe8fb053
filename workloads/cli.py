"""The command line: list what there is, run one trial for a machine, or run here for a person."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from typing import Optional, Sequence

from core import jsonio
from core.errors import InputError, TorchrigError
from workloads import local, registry, settings
from workloads.base import DEVICES, PRESETS
from workloads.listing import listing, listing_table
from workloads.names import pick


def main(arguments: Sequence[str]) -> int:
    """Exit status: 0 well, 1 a workload failed, 2 wrong input."""
    options = _parser().parse_args(arguments)
    try:
        if options.list:
            return _list(options)
        if options.trial:
            return _trial(options)
        return _run_here(options)
    except TorchrigError as error:
        if options.debug:
            traceback.print_exc()
        sys.stderr.write(f"{error}\n")
        return error.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m workloads", description=__doc__)
    parser.add_argument("--list", action="store_true", help="show workloads and what runs here")
    parser.add_argument("--json", action="store_true", help="with --list: as JSON")
    parser.add_argument("--trial", action="store_true", help="run one trial, print its JSON")
    parser.add_argument("--workload", action="append", default=[], metavar="W")
    parser.add_argument("--variant", action="append", default=[], metavar="V")
    parser.add_argument("--preset", default="smoke", help=", ".join(PRESETS))
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, help="calls per timed block; calibrated if left out")
    parser.add_argument("--threads", type=int, help="CPU threads; all if left out")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    return parser


def _list(options: argparse.Namespace) -> int:
    device = local.resolve_device(_device(options.device))
    data = listing(registry.load(), device)
    sys.stdout.write(jsonio.dumps(data) if options.json else listing_table(data))
    return 0


def _trial(options: argparse.Namespace) -> int:
    """One trial; nothing but its JSON reaches standard output, whatever the work prints."""
    workload = registry.get(_one(options.workload, "--workload"))
    request = workload.request(
        _one(options.variant, "--variant"),
        local.resolve_device(_device(options.device)),
        options.preset,
        seed=options.seed,
        threads=_positive(options.threads, "--threads") or settings.default_threads(),
        calls=_positive(options.calls, "--calls"),
    )
    real = _divert_stdout()
    from workloads.trial import run

    result = run(workload, request)
    sys.stdout.flush()
    with os.fdopen(real, "w", encoding="utf-8") as stream:
        stream.write(jsonio.dumps(result.to_dict()))
    return 0


def _run_here(options: argparse.Namespace) -> int:
    device = local.resolve_device(_device(options.device))
    pick("preset", options.preset, dict.fromkeys(PRESETS))
    cells = local.cells(registry.load(), options.workload, options.variant, device)
    threads = _positive(options.threads, "--threads") or settings.default_threads()
    return local.run_cells(cells, device, options.preset, options.seed, threads)


def _divert_stdout() -> int:
    """Send file descriptor 1 to standard error for good; return a copy of the real one."""
    sys.stdout.flush()
    real = os.dup(1)
    os.dup2(2, 1)
    return real


def _device(name: str) -> str:
    pick("device", name, dict.fromkeys(("auto", *DEVICES)))
    return name


def _one(names: Sequence[str], option: str) -> str:
    if len(names) != 1:
        raise InputError(
            f"--trial needs {option} exactly once.",
            remedy="`python -m workloads --list` shows the names.",
        )
    return names[0]


def _positive(value: Optional[int], option: str) -> Optional[int]:
    if value is not None and value < 1:
        raise InputError(f"{option} is {value}.", remedy="Give a whole number of at least 1.")
    return value
