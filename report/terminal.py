"""The terminal's report, from report.json's data alone."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from report import notes, views
from report.notes import Note
from report.schema import Report, load
from report.verdict import Verdict
from report.views import Table

_STYLE = {
    Verdict.FASTER.value: "green",
    Verdict.SLOWER.value: "red",
    Verdict.NO_DIFFERENCE.value: "cyan",
    Verdict.INCONCLUSIVE.value: "yellow",
    Verdict.NOT_COMPARABLE.value: "magenta",
    Verdict.NOT_MEASURED.value: "dim",
}
_ROOM_FOR_WHOLE_NAMES = 100
_ROOM_FOR_REASONS = 160


def render(data: Mapping[str, Any], console: Console) -> None:
    """Print the report.

    Raises:
        ResultError: not the content of a report.json of this schema.
    """
    report = load(data)
    console.print(Group(*_parts(report, console.width)))


def _parts(report: Report, width: int) -> list[RenderableType]:
    parts: list[RenderableType] = [_title("In short")]
    parts += [_bullet(line) for line in views.summary(report)]
    for table in views.tables(report):
        parts += _comparison(report, table, width)
    parts += _notes("Not measured, in whole or in part", notes.not_measured(report))
    parts += _notes("To know when reading", notes.flagged(report))
    parts += _notes("Checks that did not pass", notes.check_notes(report))
    parts += _notes("Problems with the run", notes.problem_notes(report))
    parts += [_title("Environments"), _cells(views.environment_cells(report))]
    return parts + [_plain(line) for line in views.host_lines(report)]


def _comparison(report: Report, table: Table, width: int) -> list[RenderableType]:
    with_reasons = width >= _ROOM_FOR_REASONS and bool(table.other)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    grid.add_column("workload", overflow="fold")
    grid.add_column(_plain(table.baseline), overflow="fold")
    if table.other:
        grid.add_column(_plain(table.other), overflow="fold")
        grid.add_column("ratio [95 %]", no_wrap=True)
        grid.add_column("verdict", overflow="fold")
    if with_reasons:
        grid.add_column("why", overflow="fold")
    for line in table.lines:
        name = line.name if width >= _ROOM_FOR_WHOLE_NAMES else line.name.replace("/", "/\n", 1)
        cells = [_plain(name), _two(*line.baseline)]
        if table.other:
            verdict = Text(line.verdict, style=_STYLE.get(line.verdict, ""))
            cells += [_two(*line.other), _two(line.ratio, line.interval), verdict]
        if with_reasons:
            cells.append(_plain(line.why))
        grid.add_row(*cells)
    title = f"{table.other} against {table.baseline}" if table.other else table.baseline
    parts: list[RenderableType] = [
        _title(title),
        _dim(views.conditions(report, table.device)),
        grid,
    ]
    if not with_reasons:
        parts += [_note(note) for note in views.reasons(table)]
    return parts + [_plain(line) for line in table.also]


def _notes(title: str, items: Sequence[Note]) -> list[RenderableType]:
    if not items:
        return []
    return [_title(title), *(_note(note) for note in items)]


def _note(note: Note) -> RenderableType:
    line = Text.assemble(("- ", "dim"), (_clean(note.who), "bold"), ": ", _clean(note.what))
    if note.remedy.strip():
        line.append(f" {_clean(note.remedy)}", style="italic")
    return line


def _cells(cells: Sequence[Sequence[str]]) -> RenderableType:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in cells[0]:
        grid.add_column(_plain(name), overflow="fold")
    for line in cells[1:]:
        grid.add_row(*(_plain(cell) for cell in line))
    return grid


def _two(first: str, second: str) -> Text:
    lines = Text(_clean(first))
    if second:
        lines.append("\n").append(_clean(second), style="dim")
    return lines


def _title(value: str) -> RenderableType:
    return Padding(Text(_clean(value), style="bold underline"), (1, 0, 0, 0))


def _bullet(value: str) -> Text:
    return Text(f"- {_clean(value)}")


def _dim(value: str) -> Text:
    return Text(_clean(value), style="dim")


def _plain(value: str) -> Text:
    return Text(_clean(value))


def _clean(value: str) -> str:
    """Text that cannot move the cursor or change colours."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in value)
