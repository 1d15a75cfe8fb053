"""``python -m kernels build|show``: make the compiled operators, or say what is there."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Optional, Sequence

from core.errors import TorchrigError
from kernels import ops, store
from kernels.build import Built, build
from kernels.plan import MODES


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run one verb; 0 when it worked, else the error's exit code."""
    options = _parser().parse_args(argv)
    try:
        if options.verb == "build":
            _say_built(build(options.out, mode=options.cuda, force=options.force))
        else:
            _say_loaded(ops.load())
    except TorchrigError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kernels", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    make = verbs.add_parser("build", help="compile for this environment, if not done already")
    make.add_argument("--out", type=Path, help="folder that holds builds")
    make.add_argument(
        "--cuda", choices=MODES, default="auto", help="CUDA sources: where possible, always, never"
    )
    make.add_argument("--force", action="store_true", help="compile again")
    verbs.add_parser("show", help="load the library of this environment and say what it is")
    return parser


def _say_built(built: Built) -> None:
    record = built.record
    done = f"built in {record.seconds:.1f} s" if built.fresh else "up to date"
    _say(f"{built.library} ({done})")
    _say_code(record.cuda, record.arch_list, record.reason, record.remedy)
    for note in record.notes:
        _say(f"  note: {note}")


def _say_loaded(loaded: ops.Loaded) -> None:
    _say(str(loaded.path))
    _say_code(loaded.cuda, loaded.arch_list, loaded.reason, loaded.remedy)
    _say(f"  looked in: {', '.join(str(root) for root in store.roots())}")


def _say_code(cuda: bool, arch_list: Sequence[str], reason: str, remedy: str) -> None:  # noqa: FBT001
    if cuda:
        _say(f"  CPU code and CUDA code for {', '.join(arch_list)}")
    else:
        _say(f"  CPU code only: {reason} {remedy}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
