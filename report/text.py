"""Texts from other machines, made safe to show."""

from __future__ import annotations


def printable(value: object) -> str:
    """Any text, with a space for every control, direction or unpaired character but a newline."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in str(value))


def one_line(value: object) -> str:
    """The same as a single line without runs of spaces."""
    return " ".join(printable(value).split())


def shortened(value: object, most: int) -> str:
    """One line of at most ``most`` characters; a cut shows as an ellipsis."""
    line = one_line(value)
    return line if len(line) <= most else f"{line[: most - 1]}…"
