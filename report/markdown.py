"""report.md: fit for an issue or a pull request, from report.json's data alone.

Names, reasons and log lines come from other machines: every text is escaped, so that it shows
as text and neither breaks a table nor becomes a tag, a link or a mention.
"""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence

from report import notes, views
from report.notes import Note
from report.schema import Report, load
from report.views import Table

_SPECIAL = re.compile(r"([\\`*_\[\]#~|!])")
_MENTION = "@\u200b"
_LOG_LINES = 12


def render(data: Mapping[str, Any]) -> str:
    """The page.

    Raises:
        ResultError: not the content of a report.json of this schema.
    """
    report = load(data)
    parts = [f"# Torchrig report {code(report.run.id)}", _bullets(views.summary(report))]
    parts += [part for table in views.tables(report) for part in _table(report, table)]
    parts += _section("Not measured, in whole or in part", _notes(notes.not_measured(report)))
    parts += _section("To know when reading", _notes(notes.flagged(report)))
    parts += _section("Beside the time", _grid(views.beside_the_time(report)))
    parts += _section("Environments", _grid(views.environment_cells(report)))
    parts.append("An asterisk marks what differs.")
    parts += _section("Host and device", _bullets(views.host_lines(report)))
    parts += _section("Checks that did not pass", _notes(notes.check_notes(report)))
    parts += _section("Problems with the run", _notes(notes.problem_notes(report)))
    parts += _section("To repeat it", _block("\n".join(views.repeat_lines(report))))
    parts += _section("How to read this", _bullets(views.LEGEND))
    return "\n\n".join(part for part in parts if part) + "\n"


def text(value: object) -> str:
    """Any text as one escaped line."""
    line = " ".join(_printable(str(value)).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", line).replace("@", _MENTION)


def code(value: object) -> str:
    """Any text as inline code, safe inside a table."""
    line = " ".join(_printable(str(value)).split()).replace("`", "'").replace("|", "\\|")
    return f"`{line}`" if line else ""


def _printable(value: str) -> str:
    return "".join(char if char.isprintable() else " " for char in value)


def _table(report: Report, table: Table) -> list[str]:
    where = text(views.conditions(report, table.device))
    if not table.other:
        header = ["Workload", code(table.baseline)]
        body = [[code(line.name), _time(line.baseline)] for line in table.lines]
        return [f"## {code(table.baseline)}", where, _markdown_grid(header, body)]
    header = [
        "Workload",
        f"{code(table.baseline)} (baseline)",
        code(table.other),
        "Ratio [95 %]",
        "Verdict",
        "Why",
    ]
    body = [
        [
            code(line.name),
            _time(line.baseline),
            _time(line.other),
            text(f"{line.ratio} {line.interval}"),
            f"**{line.verdict}**" if line.verdict else "",
            text(line.why),
        ]
        for line in table.lines
    ]
    title = f"## {code(table.other)} against {code(table.baseline)} on {text(table.device)}"
    return [title, where, _markdown_grid(header, body), *(text(line) for line in table.also)]


def _time(cell: tuple[str, str]) -> str:
    return f"{text(cell[0])} ({text(cell[1])})" if cell[1] else text(cell[0])


def _section(title: str, content: str) -> list[str]:
    return [f"## {title}", content] if content else []


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {text(line)}" for line in lines)


def _notes(items: Sequence[Note]) -> str:
    return "\n".join(_note(note) for note in items).rstrip()


def _note(note: Note) -> str:
    remedy = f" *{text(note.remedy)}*" if note.remedy.strip() else ""
    head = f"- {code(note.who)}: {text(note.what)}{remedy}"
    log = "\n".join(note.log.strip().splitlines()[-_LOG_LINES:])
    return f"{head}\n\n{_indent(_block(log))}\n" if log else head


def _indent(block: str) -> str:
    return "\n".join(f"  {line}" for line in block.splitlines())


def _block(content: str) -> str:
    """Fenced text; the fence is longer than any run of backticks inside."""
    lines = [_printable(line) for line in content.splitlines()]
    longest = max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence]) if lines else ""


def _grid(cells: Sequence[Sequence[str]]) -> str:
    if not cells:
        return ""
    return _markdown_grid([text(c) for c in cells[0]], [[text(c) for c in x] for x in cells[1:]])


def _markdown_grid(header: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *body]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
