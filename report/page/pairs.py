"""The comparisons of a report: per device, each environment beside the baseline."""

from __future__ import annotations

from report.page.model import Pair, View
from report.schema import Report
from report.words import Words


def views(report: Report) -> list[View]:
    """One view per device and environment beside the baseline; alone, the baseline itself."""
    baseline = report.run.baseline
    others = [e.name for e in report.environments if e.name != baseline]
    found: list[View] = []
    for device in sorted({row.device for row in report.rows}):
        rows = [(i, row) for i, row in enumerate(report.rows) if row.device == device]
        named = [name for name in others if any(name in row.results for _, row in rows)]
        for other in named or [""]:
            pairs = tuple(Pair(i, row, baseline, other) for i, row in rows)
            found.append(View(len(found), device, baseline, other, pairs))
    return found


def title(view: View, words: Words) -> str:
    """Which environment against which, on what."""
    if not view.other:
        return words("view.alone", name=view.baseline, device=view.device)
    return words("view.title", other=view.other, baseline=view.baseline, device=view.device)


def conditions(report: Report, view: View, words: Words) -> str:
    """Device, preset, rounds and engine in one phrase."""
    names = sorted({part.name for part in report.devices if part.device == view.device})
    run = report.run
    return words(
        "view.conditions",
        device=f"{view.device} ({', '.join(names)})" if names else view.device,
        preset=run.preset,
        rounds=words.count("round", run.rounds),
        engine=run.engine,
    )
