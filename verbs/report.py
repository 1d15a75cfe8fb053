"""`invoke report`: merge a run's files and show what they say, as pages and as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping

from rich.console import Console

from core import jsonio
from core.errors import InputError
from report import markdown, table, terminal
from report.merge import exit_status, merge
from report.words import words
from runs.store import RunFolder
from verbs.front import say


def report(run: Path, *, allow_other_device: bool, language: str, csv: Path | None) -> int:
    """Merge a finished or stopped run anew and show it.

    Args:
        run: the run's folder.
        allow_other_device: set devices of different names against each other.
        language: of report.html, ``en`` or ``zh``.
        csv: where to write the rows as CSV too.

    Raises:
        InputError: the folder holds no run, or there is no such language.
    """
    words(language)
    if not (run / "plan.json").is_file():
        raise InputError(
            f"{run} holds no run.",
            why="There is no plan.json in it.",
            remedy="Name a folder that run-all made, such as torchrig-runs/20260101-120000-abc123.",
        )
    folder = RunFolder(run)
    status = write_and_show(folder, allow_other_device=allow_other_device, language=language)
    if csv is not None:
        jsonio.write_text(csv, table.render(jsonio.read(run / "report.json")))
        say(f"Rows: {csv}")
    return status


def write_and_show(
    folder: RunFolder, *, allow_other_device: bool = False, language: str = "en"
) -> int:
    """Write report.json, its pages and plots into the run's folder and print the terminal table.

    Returns:
        0, or 1 where a row is at fault.
    """
    data = merge(folder.path, allow_other_device=allow_other_device)
    folder.write_report(data, markdown.render(data))
    write_page(folder.path, data, language)
    terminal.render(data, Console())
    say(f"Report: {folder.path / 'report.html'}; report.md, report.json and plots/ beside it")
    return exit_status(data)


def write_page(folder: Path, data: Mapping[str, Any], language: str) -> None:
    """Write report.html and the files of its plots."""
    from report.page import html

    page = html.render(data, language=language)
    jsonio.write_text(folder / "report.html", page.html)
    for name, content in page.files.items():
        path = folder / name
        if path.parent.is_symlink():
            raise InputError(
                f"{path.parent} is a link.",
                why="A run's files are written into its own folder only.",
                remedy="Remove the link and report again.",
            )
        jsonio.write_bytes(path, content)
