"""`invoke report`: merge a run's files and show what they say."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from core.errors import InputError
from report import markdown, terminal
from report.merge import exit_status, merge
from runs.store import RunFolder
from verbs.front import say


def report(run: Path, *, allow_other_device: bool) -> int:
    """Merge a finished or stopped run anew and show it.

    Raises:
        InputError: the folder holds no run.
    """
    if not (run / "plan.json").is_file():
        raise InputError(
            f"{run} holds no run.",
            why="There is no plan.json in it.",
            remedy="Name a folder that run-all made, such as torchrig-runs/20260101-120000-abc123.",
        )
    return write_and_show(RunFolder(run), allow_other_device=allow_other_device)


def write_and_show(folder: RunFolder, *, allow_other_device: bool = False) -> int:
    """Write report.json and report.md into the run's folder and print the terminal table.

    Returns:
        0, or 1 where a row is at fault.
    """
    data = merge(folder.path, allow_other_device=allow_other_device)
    folder.write_report(data, markdown.render(data))
    terminal.render(data, Console())
    say(f"Report: {folder.path / 'report.md'} and report.json beside it")
    return exit_status(data)
