"""Everything beside the comparison: environments, host, checks, memory, compilation, repeating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Sequence

from core.status import CheckStatus
from report import format as shown
from report.page.model import Grid
from report.schema import DevicePart, Report, Result, Row, Scalar
from report.words import Words

_RATES = {"samples_per_s": "samples/s", "flop_per_s": "FLOP/s", "bytes_per_s": "B/s"}


@dataclass(frozen=True)
class CheckShown:
    """A check that did not pass; all but ``status`` comes from the host or an environment."""

    level: str
    status: str
    where: str
    title: str
    reason: str
    measured: str
    expected: str
    remedy: str


def environments(report: Report, words: Words) -> Grid:
    """Component by environment; ``marked`` where it differs."""
    names = tuple(environment.name for environment in report.environments)
    header = ("", *(_environment_name(name, report, words) for name in names))
    title = (words("component.title"), *(e.title for e in report.environments))
    managed = tuple(words("yes") if e.managed else words("no") for e in report.environments)
    lines = [title, (words("component.managed"), *managed)]
    lines += [
        (
            words.named("component", part.key),
            *(part.values.get(n) or words("unknown") for n in names),
        )
        for part in report.components
    ]
    differs = [part.differs for part in report.components]
    return Grid(header, tuple(lines), (False, len(set(managed)) > 1, *differs))


def host(report: Report, words: Words) -> list[tuple[str, str]]:
    """What the host is, label by label."""
    return [(words.named("host", label), value) for label, value in report.host.items()]


def devices(report: Report, words: Words) -> list[tuple[str, str]]:
    """Every device that a trial saw."""
    return [(words.named("device", part.device), _device(part, words)) for part in report.devices]


def checks(report: Report, words: Words) -> list[CheckShown]:
    """Checks that did not pass, failures first."""
    ordered = sorted(report.checks, key=lambda check: check.status is not CheckStatus.FAIL)
    return [
        CheckShown(
            level="bad" if check.status is CheckStatus.FAIL else "warn",
            status=words(f"check.{check.status.value}"),
            where=words.named("where", check.where),
            title=check.title,
            reason=check.reason,
            measured=check.measured,
            expected=check.expected,
            remedy=check.remedy,
        )
        for check in ordered
    ]


def memory(report: Report, words: Words) -> Grid | None:
    """Peak memory by row and environment, with its share of the baseline's."""
    names = _names(report)
    lines = [
        (_row_name(row, report), *(_peak(row, name, report, words) for name in names))
        for row in report.rows
        if any(_number(result.metrics, "peak_memory_bytes") for result in row.results.values())
    ]
    header = (words("column.workload"), *(_environment_name(n, report, words) for n in names))
    return Grid(header, tuple(lines)) if lines else None


def one_off(report: Report, words: Words) -> Grid | None:
    """Compilation, apart from the steady state."""
    lines = [
        (_row_name(row, report), name, *_one_off_cells(result, words))
        for row in report.rows
        for name, result in row.results.items()
        if _number(result.metrics, "compile_s")
    ]
    keys = ("workload", "environment", "compile", "cache", "steady")
    header = tuple(words(f"column.{key}") for key in keys)
    return Grid(header, tuple(lines)) if lines else None


def claims(listed: object, words: Words) -> Grid | None:
    """A plain list of claims as a table, a column for every field; None where there is no list."""
    rows = [row for row in listed if isinstance(row, Mapping)] if isinstance(listed, list) else []
    fields = list(dict.fromkeys(str(key) for row in rows for key in row))
    lines = [tuple(_claim_cell(row.get(name), words) for name in fields) for row in rows]
    header = tuple(words.named("claim", name) for name in fields)
    return Grid(header, tuple(lines)) if fields else None


def measured(result: Result, words: Words) -> list[tuple[str, str]]:
    """What else was measured of one result, label by label."""
    found = [
        (words.named("metric", key), words.rate(value, unit))
        for key, unit in _RATES.items()
        if (value := _number(result.metrics, key))
    ]
    first = _number(result.metrics, "first_call_s")
    if first:
        found.append((words("metric.first_call_s"), words.seconds(first)))
    if result.samples:
        found.append((words("metric.samples"), str(result.samples)))
    if result.check:
        error, limit = (f"{value:.2g}" for value in (result.check.error, result.check.tolerance))
        text = words("metric.error-value", error=error, limit=limit, measure=result.check.measure)
        found.append((words("metric.error"), text))
    return found


def repeat(report: Report, words: Words) -> list[tuple[str, str]]:
    """Identity of the run, its code, locks and images."""
    run = report.run
    found = [("id", run.id), ("created", run.created_at), ("seed", str(run.seed))]
    found += [("code", run.code_hash), ("preset", run.preset), ("engine", run.engine)]
    lines = [(words(f"repeat.{key}"), value) for key, value in found]
    for environment in report.environments:
        for key in ("lock_hash", "image_id"):
            if getattr(environment, key):
                label = words(f"repeat.{key}", name=environment.name)
                lines.append((label, getattr(environment, key)))
    return lines


def _names(report: Report) -> list[str]:
    return [environment.name for environment in report.environments]


def _environment_name(name: str, report: Report, words: Words) -> str:
    return words("baseline.name", name=name) if name == report.run.baseline else name


def _row_name(row: Row, report: Report) -> str:
    name = f"{row.workload}/{row.variant}"
    return f"{name} ({row.device})" if len({r.device for r in report.rows}) > 1 else name


def _device(part: DevicePart, words: Words) -> str:
    texts = [part.name]
    if part.memory_bytes:
        texts.append(words.memory(part.memory_bytes))
    if part.driver:
        texts.append(words("device.driver", driver=part.driver))
    if part.device == "cuda":
        texts.append(part.uuid or words("device.no-uuid"))
    return words.listed(texts)


def _peak(row: Row, name: str, report: Report, words: Words) -> str:
    value = _peak_of(row.results.get(name))
    if value is None:
        return words("none")
    text = words.memory(value)
    base = _peak_of(row.results.get(report.run.baseline))
    if name == report.run.baseline or not base:
        return text
    return words("memory.of-baseline", memory=text, ratio=f"{value / base:.2f}")


def _peak_of(result: Result | None) -> float | None:
    return _number(result.metrics, "peak_memory_bytes") if result else None


def _one_off_cells(result: Result, words: Words) -> Sequence[str]:
    times = (_number(result.metrics, "compile_s"), result.median_s)
    compiled, steady = (words.seconds(value) if value else words("none") for value in times)
    cache = result.metrics.get("compile_cache")
    return compiled, words.named("cache", str(cache)) if cache else words("none"), steady


def _number(metrics: Mapping[str, Scalar], key: str) -> float | None:
    value = metrics.get(key)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and value is not None else None


def _claim_cell(value: object, words: Words) -> str:
    if value is None or value == "":
        return words("none")
    return shown.significant(value, 3) if isinstance(value, float) else str(value)
