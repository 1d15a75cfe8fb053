"""A run's folder in, the content of report.json out."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Mapping, Sequence

from core.errors import ResultError
from core.records import TrialResult
from core.status import CheckStatus
from report.claims.plausibility import flag_implausible
from report.compare import compare
from report.facts import host_of, read_facts
from report.identity import (
    components,
    device_parts,
    differences,
    environment_parts,
    identity_problems,
)
from report.reading import Planned, clip, planned_trials, read_object, read_trial
from report.rows import bring_together
from report.schema import (
    REPORT_SCHEMA,
    Check,
    Component,
    Mean,
    Problem,
    Report,
    Row,
    RunPart,
    Trials,
    dump,
)
from report.statistics import geometric_mean

PLAN_SCHEMA = 1

Trialled = Mapping[tuple[tuple[str, str, str], str], Sequence[TrialResult]]


def merge(run_folder: Path, *, allow_other_device: bool = False) -> dict[str, Any]:
    """Read whatever a run left behind and judge it.

    A missing or damaged trial, environment or fact file is a row or a problem of the report.

    Args:
        run_folder: holds plan.json and, as far as the run got, the files beside it.
        allow_other_device: set devices of different names against each other all the same; the
            report says so.

    Returns:
        Plain data in the shape of ``report.schema.Report``.

    Raises:
        ResultError: no readable plan: without one nobody knows what is missing.
    """
    plan = _plan(run_folder)
    planned = planned_trials(plan)
    preset, baseline = str(plan["preset"]), str(plan["baseline"])
    read = [read_trial(run_folder / "trials", item, preset=preset) for item in planned]
    trials = [flag_implausible(trial) for trial in read]
    names = [str(name) for name in plan["environments"]]
    descriptions, problems = _descriptions(run_folder, names)
    parts = components(names, descriptions, trials)
    devices = device_parts(trials)
    checks, host, unread = read_facts(run_folder)
    rows = _rows(planned, trials, plan, parts, allow_other_device=allow_other_device)
    problems += unread + identity_problems(devices, parts) + _unplanned(run_folder, planned)
    problems += _other_code(trials, str(plan.get("code_hash", "")))
    if allow_other_device:
        what = "Devices of different names were compared, because that was asked for."
        problems.append(Problem(level="warning", what=what, remedy="Read the ratios with care."))
    return dump(
        Report(
            schema=REPORT_SCHEMA,
            run=_run(plan, trials),
            environments=environment_parts(names, baseline, descriptions),
            components=parts,
            host=host or host_of(trials),
            devices=devices,
            checks=checks,
            rows=rows,
            means=_means(rows, names, baseline),
            problems=problems,
            exit_status=_exit_status(rows, checks, problems),
        )
    )


def exit_status(report: Mapping[str, Any]) -> int:
    """0 where all is well, 1 where a trial, a check or the run itself is at fault."""
    return int(report["exit_status"])


def _exit_status(rows: Sequence[Row], checks: Sequence[Check], problems: Sequence[Problem]) -> int:
    faults = any(result.status.is_fault for row in rows for result in row.results.values())
    failed = any(check.status is CheckStatus.FAIL for check in checks)
    wrong = any(problem.level == "error" for problem in problems)
    return 1 if faults or failed or wrong else 0


def _plan(run_folder: Path) -> dict[str, Any]:
    plan = read_object(run_folder / "plan.json")
    if plan.get("schema") != PLAN_SCHEMA or isinstance(plan.get("schema"), bool):
        raise ResultError(
            f"plan.json has schema {plan.get('schema')!r}.",
            why=f"This version reads schema {PLAN_SCHEMA}.",
            remedy="Read the run with the version that wrote it.",
        )
    wanted = {"preset": str, "baseline": str, "environments": list, "run_id": str, "rounds": int}
    for key, kind in wanted.items():
        if not isinstance(plan.get(key), kind):
            raise ResultError(f"plan.json has no usable {key}.", remedy="Name the folder of a run.")
    return plan


def _run(plan: Mapping[str, Any], trials: Sequence[TrialResult]) -> RunPart:
    counts = Counter(trial.status for trial in trials)
    texts = {key: clip(plan.get(key, "")) for key in ("created_at", "preset", "device", "engine")}
    seed = plan.get("seed")
    return RunPart(
        id=plan["run_id"],
        seed=seed if isinstance(seed, int) else 0,
        rounds=plan["rounds"],
        baseline=plan["baseline"],
        code_hash=clip(plan.get("code_hash", "")),
        commands=[clip(item) for item in _list(plan.get("commands"))],
        notes=[clip(item) for item in _list(plan.get("notes"))],
        trials=Trials(planned=len(trials), counts=dict(counts)),
        **texts,
    )


def _descriptions(
    run_folder: Path, names: Sequence[str]
) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    problems: list[Problem] = []
    found = {name: _description(run_folder, name, problems) for name in names}
    return found, problems


def _description(run_folder: Path, name: str, problems: list[Problem]) -> dict[str, Any]:
    path = run_folder / "environments" / f"{Path(name).name}.json"
    try:
        return read_object(path)
    except (ResultError, OSError) as error:
        what = clip(f"The description of {name} cannot be read: {error}")
        remedy = "Resume the run to write it again."
        problems.append(Problem(level="error", what=what, remedy=remedy))
        return {}


def _rows(
    planned: Sequence[Planned],
    trials: Sequence[TrialResult],
    plan: Mapping[str, Any],
    parts: Sequence[Component],
    *,
    allow_other_device: bool,
) -> list[Row]:
    by_row: dict[tuple[str, str, str], dict[str, list[TrialResult]]] = defaultdict(dict)
    for item, trial in zip(planned, trials, strict=True):
        by_row[item.row].setdefault(item.environment, []).append(trial)
    baseline = str(plan["baseline"])
    rows = []
    for (device, workload, variant), sides in sorted(by_row.items()):
        ordered = {name: sorted(side, key=lambda t: t.round) for name, side in sides.items()}
        comparisons = {
            name: compare(
                ordered[baseline],
                side,
                preset=str(plan["preset"]),
                also_differs=differences(parts, baseline, name),
                allow_other_device=allow_other_device,
            )
            for name, side in ordered.items()
            if name != baseline and baseline in ordered
        }
        rows.append(
            Row(
                device=device,
                workload=workload,
                variant=variant,
                results={name: bring_together(side) for name, side in ordered.items()},
                comparisons=comparisons,
            )
        )
    return rows


def _means(rows: Sequence[Row], names: Sequence[str], baseline: str) -> list[Mean]:
    means = []
    for device in sorted({row.device for row in rows}):
        for name in names:
            of = [row for row in rows if row.device == device and name in row.comparisons]
            if name == baseline or not of:
                continue
            ratios = [ratio for row in of if (ratio := _clean_ratio(row, name, baseline))]
            means.append(
                Mean(
                    environment=name,
                    device=device,
                    ratio=geometric_mean(ratios),
                    used=len(ratios),
                    of=len(of),
                )
            )
    return means


def _clean_ratio(row: Row, name: str, baseline: str) -> float | None:
    both_ok = row.results[name].ok == row.results[name].planned
    both_ok = both_ok and row.results[baseline].ok == row.results[baseline].planned
    return row.comparisons[name].ratio if both_ok else None


def _unplanned(run_folder: Path, planned: Sequence[Planned]) -> list[Problem]:
    known = {item.file for item in planned}
    folder = run_folder / "trials"
    extra = sorted(path.name for path in folder.glob("*.json") if path.name not in known)
    if not extra:
        return []
    what = f"{len(extra)} files in trials/ belong to no planned trial, first {extra[0]}."
    return [Problem(level="warning", what=clip(what), remedy="They were left out; remove them.")]


def _other_code(trials: Sequence[TrialResult], planned_hash: str) -> list[Problem]:
    others = {t.environment for t in trials if t.code_hash and t.code_hash != planned_hash}
    if not planned_hash or not others:
        return []
    names = ", ".join(sorted(others))
    what = clip(f"The suite in {names} is not the one that the run was planned with.")
    return [Problem(level="warning", what=what, remedy="Build these environments again.")]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
