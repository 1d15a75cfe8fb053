"""How a verb meets its user: one paragraph for an error, an exit status, no traceback."""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
from types import FrameType
from typing import Callable, ParamSpec

from invoke.exceptions import Exit

from core.errors import InputError, TorchrigError

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
        _refuse_empty(sys.argv[1:])
        status = verb(*args, **kwargs)
        sys.stdout.flush()
    except TorchrigError as error:
        if debugging():
            raise
        raise Exit(f"torchrig: {error}", code=error.exit_code) from error
    except BrokenPipeError:
        _stop_writing()
        return
    except OSError as error:
        if debugging():
            raise
        raise Exit(f"torchrig: {_system_error(error)}", code=1) from error
    except KeyboardInterrupt as error:
        raise Exit("torchrig: stopped by Ctrl-C.", code=INTERRUPTED) from error
    if status:
        raise Exit(code=status)


def _refuse_empty(words: list[str]) -> None:
    """An option whose value is empty, most often an unset shell variable, is not a default.

    Raises:
        InputError: there is one.
    """
    if any(word == "" or re.fullmatch(r"--[a-z-]+=", word) for word in words):
        raise InputError(
            "A value on the command line is empty.",
            why="A shell variable that is not set leaves nothing behind.",
            remedy="Give the value, or leave the option out to take its default.",
        )


def _system_error(error: OSError) -> TorchrigError:
    where = f" {error.filename}" if error.filename else ""
    return TorchrigError(
        f"The system refused{where}: {error.strerror or error}.",
        remedy="Check the path, its permissions and the space left on its disk.",
    )


def _stop_writing() -> None:
    """Whoever read our output has gone; Python must not complain about it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(line: str) -> None:
    """Progress goes to standard error, so that what a verb prints can be piped."""
    print(line, file=sys.stderr, flush=True)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """A polite stop cleans up as Ctrl-C does."""
    raise KeyboardInterrupt


def debugging() -> bool:
    """Whether ``invoke --debug`` was said."""
    return logging.getLogger("invoke").isEnabledFor(logging.DEBUG)
