"""How a verb meets its user: one paragraph for an error, an exit status, no traceback."""

from __future__ import annotations

import logging
import signal
import sys
from types import FrameType
from typing import Callable, ParamSpec

from invoke.exceptions import Exit

from core.errors import TorchrigError

Options = ParamSpec("Options")
INTERRUPTED = 130


def speak(verb: Callable[Options, int], *args: Options.args, **kwargs: Options.kwargs) -> None:
    """Run a verb and leave with its exit status.

    An error of ours is one paragraph on standard error and its own exit status; with
    ``invoke --debug`` its traceback is shown instead.

    Raises:
        Exit: for every exit status but 0.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        status = verb(*args, **kwargs)
    except TorchrigError as error:
        if debugging():
            raise
        raise Exit(f"torchrig: {error}", code=error.exit_code) from error
    except KeyboardInterrupt as error:
        raise Exit("torchrig: stopped by Ctrl-C.", code=INTERRUPTED) from error
    if status:
        raise Exit(code=status)


def say(line: str) -> None:
    """Progress goes to standard error, so that what a verb prints can be piped."""
    print(line, file=sys.stderr, flush=True)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """A polite stop cleans up as Ctrl-C does."""
    raise KeyboardInterrupt


def debugging() -> bool:
    """Whether ``invoke --debug`` was said."""
    return logging.getLogger("invoke").isEnabledFor(logging.DEBUG)
