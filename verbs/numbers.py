"""Numbers off the command line, which hands every option without a default over as text."""

from __future__ import annotations

from core.errors import InputError


def whole(option: str, text: str | None, *, least: int) -> int | None:
    """A whole number, or None where the option was not given.

    Raises:
        InputError: it is no whole number, or smaller than ``least``.
    """
    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise InputError(
            f"{option} {text!r} is not a whole number of at least {least}.",
            remedy=f"Give one, such as {option} {max(least, 6)}.",
        )
    return number


def seconds(option: str, text: str | None) -> float | None:
    """A length of time above 0, in seconds, or None where the option was not given.

    Raises:
        InputError: it is no such number.
    """
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise InputError(
            f"{option} {text!r} is not a number of seconds above 0.",
            remedy=f"Give one, such as {option} 600.",
        )
    return number
