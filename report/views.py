"""What every page shows, as plain text cells: pages only lay it out and escape it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Sequence

from core.status import TrialStatus
from report import format as shown
from report.notes import Note, merged
from report.rows import WORST_FIRST
from report.schema import Comparison, Report, Result, Row
from report.verdict import Verdict

LEGEND = (
    "The time is the median of the trials' medians; a trial is one fresh process, n their number.",
    "Spread over rounds: (maximum - minimum) / median of the trials' medians.",
    "Spread of one trial (IQR): interquartile range of its samples over their median.",
    "Ratio: the baseline's time over the other's, so above 1 is faster.",
    "Its interval: 95 %, Student's t on the logarithm of the rounds' ratios.",
    "A ratio compares two whole environments: an image changed, not PyTorch alone.",
)
VERDICT_ORDER = (
    Verdict.FASTER,
    Verdict.SLOWER,
    Verdict.NO_DIFFERENCE,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_COMPARABLE,
)


@dataclass(frozen=True)
class Line:
    """One row of a comparison. ``baseline`` and ``other`` are a time and its spread."""

    name: str
    baseline: tuple[str, str]
    other: tuple[str, str]
    ratio: str
    interval: str
    verdict: str
    why: str


@dataclass(frozen=True)
class Table:
    """One environment against the baseline on one device; ``also`` says what else differs."""

    device: str
    baseline: str
    other: str
    lines: tuple[Line, ...]
    also: tuple[str, ...]


def summary(report: Report) -> list[str]:
    """The answer in plain words, one sentence per line."""
    lines = [_compared(report, table) for table in tables(report) if table.other]
    lines += [_mean(report, index) for index in range(len(report.means))]
    lines.append(_measured(report))
    failed = sum(check.status.value == "fail" for check in report.checks)
    if failed:
        lines.append(f"{_count(failed, 'check')} of the host or an environment failed.")
    errors = sum(problem.level == "error" for problem in report.problems)
    if errors:
        lines.append(f"{_count(errors, 'problem')} with the run as a whole, see below.")
    return lines


def tables(report: Report) -> list[Table]:
    """One table per device and environment beside the baseline; alone, the baseline itself."""
    baseline = report.run.baseline
    others = [e.name for e in report.environments if e.name != baseline]
    found = []
    for device in sorted({row.device for row in report.rows}):
        rows = [row for row in report.rows if row.device == device]
        named = [name for name in others if any(name in row.results for row in rows)]
        found += [_table(device, baseline, name, rows) for name in named or [""]]
    return found


def conditions(report: Report, device: str) -> str:
    """Device, preset, rounds and engine in one phrase."""
    names = sorted({part.name for part in report.devices if part.device == device})
    card = f"{device} ({', '.join(names)})" if names else device
    run = report.run
    return f"{card}, preset {run.preset}, {_count(run.rounds, 'round')}, engine {run.engine}"


def beside_the_time(report: Report) -> list[list[str]]:
    """Rates, memory, first call and output error, a header first; empty columns are left out."""
    header = [
        "workload",
        "device",
        "environment",
        *(label for label, _, _ in _METRICS),
        "output error",
    ]
    body = [
        [f"{row.workload}/{row.variant}", row.device, name, *_metric_cells(result), _error(result)]
        for row in report.rows
        for name, result in row.results.items()
        if result.ok
    ]
    kept = [i for i in range(len(header)) if i < 3 or any(line[i] for line in body)]
    return [[line[i] for i in kept] for line in [header, *body]] if body else []


def reasons(table: Table) -> list[Note]:
    """Why each verdict is what it is, the same reason once."""
    return merged(Note(line.name, line.why, "") for line in table.lines if line.why)


def environment_cells(report: Report) -> list[list[str]]:
    """Component by environment, a header first; what differs is marked with an asterisk."""
    names = [environment.name for environment in report.environments]
    header = ["", *(f"{n} (baseline)" if n == report.run.baseline else n for n in names)]
    lines = [["managed", *("yes" if e.managed else "no" for e in report.environments)]]
    lines += [
        [
            f"{part.label} *" if part.differs else part.label,
            *(_component(part.key, part.values.get(name)) for name in names),
        ]
        for part in report.components
    ]
    return [header, *lines]


def host_lines(report: Report) -> list[str]:
    """Host and devices, one line each."""
    host = ", ".join(f"{label} {value}" for label, value in report.host.items())
    lines = [f"host: {host}"] if host else []
    for part in report.devices:
        if part.device == "cuda":
            size = shown.memory(part.memory_bytes) if part.memory_bytes else "memory unknown"
            uuid = part.uuid or "no UUID"
            lines.append(f"GPU: {part.name}, {size}, driver {part.driver or 'unknown'}, {uuid}")
    return lines


def repeat_lines(report: Report) -> list[str]:
    """What another person needs to repeat the run."""
    run = report.run
    lines = [f"run {run.id} of {run.created_at}, seed {run.seed}, code {run.code_hash[:12]}"]
    return lines + [f"$ {command}" for command in run.commands] + run.notes


def _table(device: str, baseline: str, other: str, rows: Sequence[Row]) -> Table:
    lines = tuple(_line(row, baseline, other) for row in rows)
    return Table(device, baseline, other, lines, _also(rows, other))


def _line(row: Row, baseline: str, other: str) -> Line:
    comparison = row.comparisons.get(other)
    ratio = shown.ratio(comparison.ratio) if comparison and comparison.ratio else ""
    has_interval = comparison and comparison.low is not None and comparison.high is not None
    return Line(
        name=f"{row.workload}/{row.variant}",
        baseline=_cell(row.results.get(baseline)),
        other=_cell(row.results.get(other)) if other else ("", ""),
        ratio=ratio,
        interval=shown.interval(comparison.low or 0, comparison.high or 0)
        if comparison and has_interval
        else "",
        verdict=comparison.verdict.value if comparison else "",
        why=_why(comparison) if comparison else "",
    )


def _why(comparison: Comparison) -> str:
    return "" if comparison.verdict is Verdict.NOT_MEASURED else comparison.reason


def _cell(result: Result | None) -> tuple[str, str]:
    if result is None:
        return "not planned", ""
    status = "" if result.status is TrialStatus.OK else result.status.value
    if result.median_s is None:
        return status, ""
    width = result.spread.high_s - result.spread.low_s if result.spread else None
    return shown.seconds(result.median_s, width=width), _spread(result, status)


def _spread(result: Result, status: str) -> str:
    trials = f"n={result.ok}" if result.ok == result.planned else f"n={result.ok}/{result.planned}"
    if result.spread is None:
        parts = [trials]
    elif result.spread.over == "rounds":
        parts = [shown.percent(result.spread.relative), trials]
    else:
        relative = shown.percent(result.spread.relative)
        parts = [f"IQR {relative}", trials, f"{result.spread.n} samples"]
    return ", ".join([*parts, status] if status else parts)


def _also(rows: Sequence[Row], other: str) -> tuple[str, ...]:
    groups: dict[str, list[str]] = {}
    for row in rows:
        comparison = row.comparisons.get(other)
        if comparison and comparison.ratio and comparison.also_differs:
            text = ", ".join(f"{d.label} {d.baseline} → {d.other}" for d in comparison.also_differs)
            groups.setdefault(text, []).append(f"{row.workload}/{row.variant}")
    if len(groups) == 1:
        return (f"Also differs beside every ratio: {next(iter(groups))}.",)
    return tuple(f"Also differs ({', '.join(names)}): {text}." for text, names in groups.items())


def _compared(report: Report, table: Table) -> str:
    rows = [row for row in report.rows if row.device == table.device]
    verdicts = Counter(
        row.comparisons[table.other].verdict for row in rows if table.other in row.comparisons
    )
    told = ", ".join(f"{verdicts[v]} {v.value}" for v in VERDICT_ORDER if verdicts[v])
    absent = Counter(
        _worst(row, table)
        for row in rows
        if table.other in row.comparisons
        and row.comparisons[table.other].verdict is Verdict.NOT_MEASURED
    )
    if absent:
        why = ", ".join(f"{number} {status}" for status, number in absent.items())
        told += f"{', ' if told else ''}{absent.total()} not measured ({why})"
    where = conditions(report, table.device)
    return f"{table.other} against {table.baseline} on {where}: {told or 'nothing to compare'}."


def _worst(row: Row, table: Table) -> str:
    sides = {row.results[name].status for name in (table.baseline, table.other)}
    return next((s.value for s in WORST_FIRST if s in sides), "")


def _mean(report: Report, index: int) -> str:
    mean = report.means[index]
    if mean.ratio is None:
        return (
            f"{mean.environment} on {mean.device}: no variant is ok and comparable on both sides."
        )
    return (
        f"{mean.environment} on {mean.device}: geometric mean {shown.ratio(mean.ratio)} over "
        f"{mean.used} of {mean.of} variants, those that are ok and comparable"
        f"{'' if any_conclusive(report, mean.device, mean.environment) else ', none conclusive'}."
    )


def any_conclusive(report: Report, device: str, environment: str) -> bool:
    """Whether at least one variant has a verdict that a mean over all of them may lean on."""
    told = (
        row.comparisons[environment].verdict
        for row in report.rows
        if row.device == device and environment in row.comparisons
    )
    return any(verdict in ("faster", "slower", "no difference") for verdict in told)


def _measured(report: Report) -> str:
    counts = report.run.trials.counts
    ok, planned = counts.get(TrialStatus.OK, 0), report.run.trials.planned
    rest = ", ".join(f"{n} {status.value}" for status, n in counts.items() if status != "ok")
    return f"{ok} of {planned} trials are ok" + (f"; {rest}." if rest else ".")


def _metric_cells(result: Result) -> list[str]:
    cells = []
    for _, key, write in _METRICS:
        value = result.metrics.get(key)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        cells.append(write(float(value)) if number and value is not None else "")
    return cells


def _error(result: Result) -> str:
    check = result.check
    return f"{check.error:.2g} (limit {check.tolerance:.2g}, {check.measure})" if check else ""


def _component(key: str, value: str | None) -> str:
    if value is None:
        return "-"
    return value[:12] if key == "lock_hash" else value[:19] if key == "image_id" else value


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_METRICS = (
    ("samples/s", "samples_per_s", lambda v: shown.significant(v, 3)),
    ("FLOP/s", "flop_per_s", lambda v: shown.rate(v, "FLOP/s")),
    ("bytes/s", "bytes_per_s", lambda v: shown.rate(v, "B/s")),
    ("peak memory", "peak_memory_bytes", shown.memory),
    ("first call", "first_call_s", shown.seconds),
    ("article's loop", "article_total_s", shown.seconds),
)
