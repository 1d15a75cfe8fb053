"""The generated parts of docs/envcheck.md: ``python -m envcheck.catalogue`` writes them there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable

from core import jsonio
from envcheck import fields, profiles
from envcheck.checks import registry

PAGE = Path(__file__).resolve().parents[1] / "docs" / "envcheck.md"
END = "<!-- end of {name} -->"
BEGIN = "<!-- {name}: written by python -m envcheck.catalogue -->"


def block(name: str) -> str:
    """One generated part with its marks: ``facts``, ``profiles``, ``severities`` or ``checks``."""
    return "\n".join([BEGIN.format(name=name), "", *BLOCKS[name](), "", END.format(name=name)])


def refreshed(page: str) -> str:
    """The page with every generated part as the code has it now.

    Raises:
        ValueError: the page lacks the marks of a part.
    """
    for name in BLOCKS:
        marks = (BEGIN.format(name=name), END.format(name=name))
        pattern = re.compile(f"{re.escape(marks[0])}.*?{re.escape(marks[1])}", re.DOTALL)
        if not pattern.search(page):
            raise ValueError(f"the page has no part {name}")
        page = pattern.sub(lambda _, name=name: block(name), page, count=1)  # type: ignore[misc]
    return page


def _facts() -> list[str]:
    lines = ["| field | scope | holds |", "|---|---|---|"]
    for item in fields.SECTIONS:
        lines.append(f"| **`{item.name}`** | {item.scope} | {item.about} |")
        lines += _rows(item.name, item.fields)
    return lines


def _rows(before: str, parts: tuple[fields.Field, ...]) -> list[str]:
    lines = []
    for part in parts:
        many = "[]" if part.kind == fields.RECORDS else ""
        name = f"{before}.{part.name}{many}"
        lines.append(f"| `{name}` | | {part.about} ({part.kind}) |")
        lines += _rows(name, part.fields)
    return lines


def _profiles() -> list[str]:
    lines = ["| profile | value | expected | known from | read |", "|---|---|---|---|---|"]
    for name in profiles.names():
        profile = profiles.load(name)
        if profile.pci_ids:
            ids = ", ".join(profile.pci_ids)
            lines.append(
                f"| `{name}` | `pci.ids` | {ids} | {profile.pci_source} | {profile.pci_date} |"
            )
        for table, values in (("card", profile.card), ("active", profile.active)):
            lines += [_expected(name, f"{table}.{key}", value) for key, value in values.items()]
    return lines


def _expected(profile: str, key: str, value: profiles.Expected) -> str:
    unsure = ", unverified" if value.unverified else ""
    least = f", at least {value.fraction:.0%} of it" if value.fraction != 1.0 else ""
    return (
        f"| `{profile}` | `{key}` | {value.value}{least} | {value.source}{unsure} | {value.date} |"
    )


def _severities() -> list[str]:
    return [f"- `{name}`: {about}." for name, about in registry.SEVERITIES.items()]


def _checks() -> list[str]:
    return "\n".join(_section(item) for item in registry.load()).rstrip().split("\n")


def _section(item: registry.Check) -> str:
    lines = [
        f"### `{item.id}`: {item.title}",
        "",
        f"- Runs on: {item.scope}. Severity: {item.severity}.",
        f"- Looks at: {item.looks_at}.",
        f"- Why: {item.why}",
    ]
    if item.after:
        lines.append(f"- Follows from: {', '.join(f'`{cause}`' for cause in item.after)}.")
    lines += [f"- Remedy: {remedy}" for remedy in item.remedies]
    if item.source:
        lines.append(f"- Source: <{item.source}>")
    return "\n".join([*lines, ""])


BLOCKS: dict[str, Callable[[], list[str]]] = {
    "facts": _facts,
    "severities": _severities,
    "profiles": _profiles,
    "checks": _checks,
}

if __name__ == "__main__":
    jsonio.write_text(PAGE, refreshed(PAGE.read_text(encoding="utf-8")))
