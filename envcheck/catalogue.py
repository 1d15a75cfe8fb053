"""The table of every check for docs/envcheck.md: ``python -m envcheck.catalogue`` prints it."""

from __future__ import annotations

import sys

from envcheck.checks import registry

BEGIN = "<!-- checks: written by python -m envcheck.catalogue -->"
END = "<!-- end of checks -->"


def markdown() -> str:
    """One section per check: what it looks at, why, remedies, source."""
    parts = [_section(item) for item in registry.load()]
    return "\n".join([BEGIN, "", *parts, END, ""])


def _section(item: registry.Check) -> str:
    lines = [
        f"### `{item.id}`: {item.title}",
        "",
        f"- Runs on: {item.scope}.",
        f"- Looks at: {item.looks_at}.",
        f"- Why: {item.why}",
    ]
    if item.after:
        lines.append(f"- Follows from: {', '.join(f'`{cause}`' for cause in item.after)}.")
    lines += [f"- Remedy: {remedy}" for remedy in item.remedies]
    if item.source:
        lines.append(f"- Source: <{item.source}>")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.stdout.write(markdown())
