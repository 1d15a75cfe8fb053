"""What merge makes of a run's folder, the damaged and the hostile ones too."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from report_helpers import GPU, IDENTITY, NEW, OLD, SHARED, dump, faulty, file_name, pair, write_run

from core.errors import ResultError
from core.status import TrialStatus
from report.merge import exit_status, merge
from report.schema import json_schema, load


def merged(tmp_path: Path, trials: list[Any], **options: Any) -> dict[str, Any]:
    """The report of a fresh folder with these trials, checked to be strict JSON of its schema."""
    allow = options.pop("allow_other_device", False)
    report = merge(write_run(tmp_path / "run", trials, **options), allow_other_device=allow)
    json.dumps(report, allow_nan=False)
    load(report)
    return report


def comparison(report: dict[str, Any]) -> dict[str, Any]:
    return dict(report["rows"][0]["comparisons"][NEW])


def six(old: float = 0.030, new: float = 0.010) -> list[Any]:
    wobble = (1.0, 1.01, 0.99, 1.005, 0.995, 1.0)
    return pair([old * w for w in wobble], [new * w for w in reversed(wobble)])


def test_a_clear_row_is_faster_with_its_interval_and_what_else_differs(tmp_path: Path) -> None:
    """Ratio = baseline time over the other's; beside it every component that differs."""
    report = merged(tmp_path, six())
    found = comparison(report)

    assert "faster" == found["verdict"]
    assert found["low"] < 3.0 < found["high"]
    assert found["ratio"] == pytest.approx(3.0, rel=0.01)
    assert ["CUDA of the wheel", "cuDNN", "NumPy"] == [d["label"] for d in found["also_differs"]]
    assert ("8.5.0", "9.10.2") == tuple(found["also_differs"][1][k] for k in ("baseline", "other"))
    assert 0 == exit_status(report)


def test_spread_is_over_rounds_or_says_that_it_is_over_samples(tmp_path: Path) -> None:
    """With one round the quartiles of its samples stand in, named so."""
    over = [
        merged(tmp_path / str(n), pair([0.03] * n, [0.01] * n))["rows"][0]["results"][OLD]["spread"]
        for n in (1, 3)
    ]

    assert [("samples", 3), ("rounds", 3)] == [(s["over"], s["n"]) for s in over]


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (TrialStatus.FAILED, 1),
        (TrialStatus.TIMEOUT, 1),
        (TrialStatus.LOST, 1),
        (TrialStatus.UNSUPPORTED, 0),
        (TrialStatus.SKIPPED, 0),
    ],
)
def test_a_trial_that_is_not_ok_is_a_typed_row(
    tmp_path: Path, status: TrialStatus, code: int
) -> None:
    """Its reason stands there, there is no ratio, and faults decide the exit status."""
    report = merged(tmp_path, [*pair([0.03], [])[:1], faulty(NEW, 0, status, "because")])
    result = report["rows"][0]["results"][NEW]

    assert (status.value, "because", None) == (
        result["status"],
        result["reason"],
        result["median_s"],
    )
    assert ("not measured", None) == (comparison(report)["verdict"], comparison(report)["ratio"])
    assert code == exit_status(report)


def test_a_planned_trial_without_a_file_is_missing(tmp_path: Path) -> None:
    """The other rounds still make a ratio, from fewer pairs; the exit status is 1."""
    trials = six()
    folder = write_run(tmp_path / "run", trials)
    (folder / "trials" / file_name(trials[-1])).unlink()
    report = merge(folder)

    assert "missing" == report["rows"][0]["results"][NEW]["status"]
    assert ("faster", 5) == (comparison(report)["verdict"], comparison(report)["pairs"])
    assert 1 == exit_status(report)


BAD = {
    "empty": b"",
    "not JSON": b"hello",
    "a list": b"[1, 2]",
    "wrong encoding": b"\xff\xfe{\x00",
    "NaN": b'{"schema": 1, "median_s": NaN}',
    "Infinity": b'{"schema": 1, "median_s": Infinity}',
    "-Infinity": b'{"schema": 1, "median_s": -Infinity}',
    "1e999": b'{"schema": 1, "median_s": 1e999}',
    "deep": b"[" * 200_000,
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_bad_row(tmp_path: Path, name: str) -> None:
    """Other rows stay, the exit status is 1, and the file is untouched."""
    trials = [*six(), *pair([0.2, 0.2], [0.1, 0.1], workload="svd")]
    folder = write_run(tmp_path / "run", trials)
    path = folder / "trials" / file_name(trials[-1])
    path.write_bytes(BAD[name])
    report = merge(folder)
    json.dumps(report, allow_nan=False)

    assert ["ok", "unreadable"] == [row["results"][NEW]["status"] for row in report["rows"]]
    assert "faster" == comparison(report)["verdict"]
    assert (1, BAD[name]) == (exit_status(report), path.read_bytes())


def test_a_file_cut_off_anywhere_is_unreadable(tmp_path: Path) -> None:
    """At a hundred offsets of a good file."""
    trials = pair([0.03], [0.01])
    folder = write_run(tmp_path / "run", trials)
    path = folder / "trials" / file_name(trials[1])
    whole = path.read_bytes()
    statuses = set()
    for offset in range(0, len(whole) - 1, max(1, len(whole) // 100)):
        path.write_bytes(whole[:offset])
        statuses.add(merge(folder)["rows"][0]["results"][NEW]["status"])

    assert {"unreadable"} == statuses


@pytest.mark.parametrize("schema", [0, 99, None, True, "1"])
def test_another_schema_is_refused_clearly(tmp_path: Path, schema: object) -> None:
    """As one unreadable row that names the number."""
    trials = pair([0.03], [0.01])
    folder = write_run(tmp_path / "run", trials)
    path = folder / "trials" / file_name(trials[1])
    dump(path, {**trials[1].to_dict(), "schema": schema})
    result = merge(folder)["rows"][0]["results"][NEW]

    assert "unreadable" == result["status"]
    assert "schema" in result["reason"]
    assert result["remedy"]


@pytest.mark.parametrize(
    "change",
    [
        {"median_s": -1.0},
        {"median_s": 0},
        {"median_s": "fast"},
        {"samples_s": [0.1, -0.1]},
        {"calls_per_sample": 0},
        {"calls_per_sample": True},
        {"settings": [1]},
        {"identity": "me"},
        {"metrics": None},
        {"flags": [3]},
        {"reason": 7},
        {"environment": "other"},
        {"round": 4},
        {"status": "great"},
        {"unknown": 1},
        {"check": {"measure": "m", "error": "x", "tolerance": 1.0, "reference": "r"}},
    ],
    ids=str,
)
def test_an_impossible_value_makes_the_row_unreadable(tmp_path: Path, change: Any) -> None:
    """Results are untrusted: nothing of the wrong kind reaches a mean or a page."""
    trials = pair([0.03], [0.01])
    folder = write_run(tmp_path / "run", trials)
    dump(folder / "trials" / file_name(trials[1]), {**trials[1].to_dict(), **change})

    assert "unreadable" == merge(folder)["rows"][0]["results"][NEW]["status"]


@pytest.mark.parametrize("change", [{"settings": {}}, {"identity": {}}, {"code_hash": ""}], ids=str)
def test_without_metadata_a_result_is_unverifiable(tmp_path: Path, change: Any) -> None:
    """It stays out of ratios."""
    trials = [*pair([0.03], []), *[t for t in pair([], [0.01], **change) if t.environment == NEW]]
    report = merged(tmp_path, trials)

    assert "unverifiable" == report["rows"][0]["results"][NEW]["status"]
    assert ("not measured", 1) == (comparison(report)["verdict"], exit_status(report))


def test_an_output_over_its_tolerance_is_failed(tmp_path: Path) -> None:
    """Whatever status the file claims."""
    trials = pair([0.03], [0.01])
    folder = write_run(tmp_path / "run", trials)
    check = {"measure": "m", "error": 0.5, "tolerance": 0.1, "reference": "r"}
    dump(folder / "trials" / file_name(trials[1]), {**trials[1].to_dict(), "check": check})

    assert "failed" == merge(folder)["rows"][0]["results"][NEW]["status"]


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"settings": {"matmul_tf32": True, "threads": 2}}, "settings-differ", "matmul_tf32"),
        ({"settings": {"threads": 2}}, "settings-differ", "absent"),
        ({"calls_per_sample": 11}, "settings-differ", "calls per sample"),
        ({"code_hash": "d" * 64}, "code-differs", "code"),
    ],
    ids=str,
)
def test_what_must_match_and_does_not_makes_a_pair_not_comparable(
    tmp_path: Path, change: Any, code: str, words: str
) -> None:
    """One differing flag is enough; the reason names it."""
    trials = [t for t in six() if t.environment == OLD]
    trials += [t for t in pair([], [0.01] * 6, **change) if t.environment == NEW]
    found = comparison(merged(tmp_path, trials))

    assert ("not comparable", [code], None) == (found["verdict"], found["codes"], found["ratio"])
    assert words in found["reason"]


def on_gpu(**second: Any) -> list[Any]:
    """Both sides on a GPU; the newer one saw a device changed so."""
    other = {**SHARED, **IDENTITY[NEW], **GPU, **second}
    news = pair([], [0.01] * 6, device="cuda", identity=other)
    return [*pair([0.03] * 6, [], device="cuda"), *news]


def test_the_same_card_is_compared_without_a_word(tmp_path: Path) -> None:
    """Same UUID, same name."""
    report = merged(tmp_path, on_gpu())

    assert ("faster", []) == (comparison(report)["verdict"], report["problems"])


def test_another_card_of_the_same_name_is_a_warning(tmp_path: Path) -> None:
    """Compared, and said."""
    report = merged(tmp_path, on_gpu(gpu_uuid="GPU-2"))

    assert ("faster", ["warning"]) == (
        comparison(report)["verdict"],
        [problem["level"] for problem in report["problems"]],
    )


def test_a_card_without_a_uuid_is_a_warning(tmp_path: Path) -> None:
    """It cannot be told apart from another one."""
    report = merged(tmp_path, on_gpu(gpu_uuid=None))

    assert any("no UUID" in problem["what"] for problem in report["problems"])


@pytest.mark.parametrize(
    "change", [{"gpu": "NVIDIA GeForce RTX 4090"}, {"gpu_memory_bytes": 48 * 2**30}], ids=str
)
def test_a_card_of_another_name_is_refused_unless_asked_for(tmp_path: Path, change: Any) -> None:
    """A 4090 is no 4090 D. Asked for, it is compared and the report says so."""
    refused = merged(tmp_path / "a", on_gpu(**change))
    allowed = merged(tmp_path / "b", on_gpu(**change), allow_other_device=True)

    assert ["device-differs"] == comparison(refused)["codes"]
    assert "faster" == comparison(allowed)["verdict"]
    assert any("asked for" in problem["what"] for problem in allowed["problems"])


@pytest.mark.parametrize("flag", ["noisy", "throttled"])
def test_a_flag_with_a_known_cause_caps_the_verdict(tmp_path: Path, flag: str) -> None:
    """One such trial on one side is enough."""
    trials = six()
    trials[0] = trials[0].__class__.from_dict({**trials[0].to_dict(), "flags": [flag]})
    found = comparison(merged(tmp_path, trials))

    assert "inconclusive" == found["verdict"]
    assert flag in found["codes"]


def test_quick_runs_never_show_no_difference(tmp_path: Path) -> None:
    """Even with six rounds."""
    words = [
        comparison(merged(tmp_path / p, pair([0.01] * 6, [0.01] * 6), preset=p))["verdict"]
        for p in ("quick", "full")
    ]

    assert ["inconclusive", "no difference"] == words


def test_the_mean_counts_rows_that_are_ok_on_both_sides(tmp_path: Path) -> None:
    """It says how many of how many, and clips nothing."""
    trials = [
        *pair([0.4], [0.1]),
        *pair([0.1], [0.4], workload="svd"),
        *pair([0.4], [], workload="sigmoid"),
        faulty(NEW, 0, TrialStatus.FAILED, "wrong", workload="sigmoid"),
    ]
    mean = merged(tmp_path, trials)["means"][0]

    assert (2, 3) == (mean["used"], mean["of"])
    assert mean["ratio"] == pytest.approx(1.0)


def test_a_row_without_a_baseline_has_no_comparison(tmp_path: Path) -> None:
    """The published CPU rows of the newest environment stand alone."""
    report = merged(tmp_path, [t for t in pair([], [0.01]) if t.environment == NEW])

    assert {} == report["rows"][0]["comparisons"]


@pytest.mark.parametrize(
    "plan",
    [
        {"schema": 99},
        {"schema": 0},
        {"trials": 3},
        {"trials": [{"file": "../../etc/passwd"}]},
        {"environments": "x"},
        {"baseline": None},
    ],
    ids=str,
)
def test_without_a_readable_plan_there_is_no_report(tmp_path: Path, plan: Any) -> None:
    """Nobody would know what is missing."""
    folder = write_run(tmp_path / "run", pair([0.03], [0.01]), plan=plan)

    with pytest.raises(ResultError):
        merge(folder)


@pytest.mark.parametrize("name", ["../plan.json", "/etc/passwd", "a/b.json", ".hidden.json"])
def test_a_file_name_never_leaves_the_folder(tmp_path: Path, name: str) -> None:
    """A plan from elsewhere cannot name files outside trials/."""
    folder = write_run(tmp_path / "run", pair([0.03], [0.01]))
    plan = json.loads((folder / "plan.json").read_text())
    plan["trials"][0]["file"] = name
    dump(folder / "plan.json", plan)

    with pytest.raises(ResultError, match="not a result's file name"):
        merge(folder)


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    """Neither to another file nor to a device."""
    trials = pair([0.03], [0.01])
    folder = write_run(tmp_path / "run", trials)
    path = folder / "trials" / file_name(trials[1])
    moved = tmp_path / "elsewhere.json"
    path.rename(moved)
    path.symlink_to(moved)

    assert "symbolic link" in merge(folder)["rows"][0]["results"][NEW]["reason"]


def test_checks_that_did_not_pass_and_the_host_come_from_facts(tmp_path: Path) -> None:
    """A failed host check makes the exit status 1; a damaged facts file is a warning."""
    folder = write_run(tmp_path / "run", pair([0.03], [0.01]))
    finding = {
        "id": "disk", "title": "free space", "status": "fail", "measured": "1 GiB",
        "expected": "40 GiB", "reason": "too little", "remedy": "Make room.",
    }  # fmt: skip
    system = {"cpu_model": "EPYC", "memory_bytes": 2**34, "governor": {"unavailable": "x"}}
    dump(folder / "facts" / "host.json", {"facts": {"system": system}, "findings": [finding]})
    (folder / "facts" / f"{NEW}.json").write_text("{")
    report = merge(folder)

    assert ({"CPU": "EPYC", "memory": "16.0 GiB"}, "disk") == (
        report["host"],
        report["checks"][0]["id"],
    )
    assert ("warning", 1) == (report["problems"][0]["level"], exit_status(report))


def test_metrics_are_medians_and_lists_stay_out(tmp_path: Path) -> None:
    """Only single finite numbers, texts and truth values reach the report."""
    metrics = {"flop_per_s": 1.0, "cold_samples_s": [1.0], "stop": "settled", "none": None}
    report = merged(tmp_path, pair([0.03], [0.01], metrics=metrics))

    assert {"flop_per_s": 1.0, "stop": "settled"} == report["rows"][0]["results"][NEW]["metrics"]


def test_a_bool_is_no_number(tmp_path: Path) -> None:
    """True is not one second."""
    trials = pair([0.03], [0.01])
    folder = write_run(tmp_path / "run", trials)
    dump(folder / "trials" / file_name(trials[1]), {**trials[1].to_dict(), "median_s": True})

    assert "unreadable" == merge(folder)["rows"][0]["results"][NEW]["status"]


def test_the_schema_refuses_what_is_not_finite(tmp_path: Path) -> None:
    """Also when someone edits report.json."""
    report = merged(tmp_path, pair([0.03], [0.01]))
    report["rows"][0]["results"][NEW]["median_s"] = math.inf

    with pytest.raises(ResultError, match="median_s"):
        load(report)


def test_the_json_schema_names_every_part() -> None:
    """What docs/report.md tells readers to validate with."""
    wanted = {"schema", "run", "environments", "rows", "exit_status"}

    assert wanted <= set(json_schema()["properties"])
