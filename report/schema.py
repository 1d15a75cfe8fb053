"""The shape of report.json, schema 1: what merge writes and every page reads.

``python -m report.schema`` prints the JSON Schema; docs/report.md explains the fields.
"""

from __future__ import annotations

import json
from typing import Any, Literal, Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import ResultError
from core.status import CheckStatus, TrialStatus
from report.verdict import Code, Verdict

REPORT_SCHEMA = 1

Scalar = bool | int | float | str | None


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Trials(_Part):
    """How many trials were planned and what became of them, by status."""

    planned: int
    counts: dict[TrialStatus, int]


class RunPart(_Part):
    """What was asked for and by what code."""

    id: str
    created_at: str
    seed: int
    preset: str
    device: str
    engine: str
    rounds: int
    baseline: str
    code_hash: str
    commands: list[str]
    notes: list[str]
    trials: Trials


class Component(_Part):
    """One version, environment by environment; ``differs`` ignores what is not known."""

    key: str
    label: str
    values: dict[str, str | None]
    differs: bool


class EnvironmentPart(_Part):
    """An environment of the run; ``managed`` says that it is what its lock says."""

    name: str
    title: str
    is_baseline: bool
    managed: bool
    lock_hash: str
    image_id: str


class DevicePart(_Part):
    """A device as the trials saw it. ``memory_bytes`` is its total memory."""

    device: str
    name: str
    uuid: str
    memory_bytes: int | None
    driver: str
    environments: list[str]


class Check(_Part):
    """A host or environment check that did not pass."""

    where: str
    id: str
    title: str
    status: CheckStatus
    measured: str
    expected: str
    reason: str
    remedy: str


class Spread(_Part):
    """Over rounds: minimum and maximum of trial medians. Over samples of one trial: quartiles."""

    over: Literal["rounds", "samples"]
    low_s: float
    high_s: float
    relative: float = Field(description="width over median, dimensionless")
    n: int


class OutputError(_Part):
    """The largest error of the output against its reference over the trials."""

    measure: str
    error: float
    tolerance: float
    reference: str


class Result(_Part):
    """One environment's side of a row. ``medians_s`` has one entry per round, null where not ok."""

    status: TrialStatus
    reason: str
    remedy: str
    log: str
    planned: int
    ok: int
    median_s: float | None
    medians_s: list[float | None]
    spread: Spread | None
    samples: int
    flags: list[str]
    metrics: dict[str, Scalar]
    check: OutputError | None


class Difference(_Part):
    """Something besides the environment's name that differs beside a ratio."""

    label: str
    baseline: str
    other: str


class Comparison(_Part):
    """One environment against the baseline; ``ratio`` is baseline time over this one's time."""

    verdict: Verdict
    codes: list[Code]
    reason: str
    ratio: float | None
    low: float | None
    high: float | None
    confidence: float | None
    pairs: int
    margin: float | None = Field(description="relative difference that counts as none")
    rounds_needed: int | None
    also_differs: list[Difference]


class Row(_Part):
    """One device, workload and variant, in every environment that was asked to run it."""

    device: str
    workload: str
    variant: str
    results: dict[str, Result]
    comparisons: dict[str, Comparison]


class Mean(_Part):
    """Geometric mean of the ratios of all variants that are ok on both sides; nothing clipped."""

    environment: str
    device: str
    ratio: float | None
    used: int
    of: int


class Problem(_Part):
    """Something about the run as a whole. An ``error`` makes the exit status 1."""

    level: Literal["error", "warning"]
    what: str
    remedy: str


class Report(_Part):
    """The whole of report.json."""

    schema_: int = Field(alias="schema")
    run: RunPart
    environments: list[EnvironmentPart]
    components: list[Component]
    host: dict[str, str]
    devices: list[DevicePart]
    checks: list[Check]
    rows: list[Row]
    means: list[Mean]
    problems: list[Problem]
    exit_status: int


def load(data: Mapping[str, Any]) -> Report:
    """Check and type the content of a report.json.

    Raises:
        ResultError: another schema, or not what a report holds, with the place.
    """
    if data.get("schema") != REPORT_SCHEMA or isinstance(data.get("schema"), bool):
        raise ResultError(
            f"The report has schema {data.get('schema')!r}.",
            why=f"This version reads schema {REPORT_SCHEMA}.",
            remedy="Merge the run again with this version.",
        )
    try:
        return Report.model_validate(dict(data))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ResultError(
            "The report cannot be read.",
            why=f"{place}: {first['msg']}.",
            remedy="Merge the run again with `invoke report`.",
        ) from error


def dump(report: Report) -> dict[str, Any]:
    """Plain data for report.json."""
    return report.model_dump(mode="json", by_alias=True)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of report.json."""
    return Report.model_json_schema(by_alias=True)


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=2))
