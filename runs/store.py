"""A run's folder: every file is whole or absent, and one process at a time writes into it.

::

    <out>/<run id>/plan.json            what will run, in order
                   calls.json           calls per timed block, frozen by the first ok trial
                   environments/E.json  environment.json plus what the engine knows
                   facts/NAME.json      host checks, environment checks
                   trials/*.json        one per trial
                   report.json, report.md
"""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

from core import jsonio
from core.errors import InputError, ResultError
from core.records import TrialResult
from core.status import TrialStatus
from runs.cells import PlannedTrial
from runs.plan import Plan

CALLS_SCHEMA = 1
DEFAULT_OUT = Path("torchrig-runs")


def new_run_id(now: datetime) -> str:
    """Time and a random tail, so that runs sort by time and never meet."""
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, out: Path, plan: Plan, descriptions: Sequence[Mapping[str, Any]]) -> RunFolder:
        """Make the folder and write the plan and the environments it names.

        Raises:
            InputError: the run exists already, or the folder cannot be made.
        """
        folder = cls(out / plan.run_id)
        try:
            folder.path.mkdir(parents=True)
        except OSError as error:
            raise InputError(
                f"The run's folder {folder.path} cannot be made.",
                why=f"{error.strerror or error}.",
                remedy="Choose another place with --out.",
            ) from error
        for item in descriptions:
            if item["name"] in plan.environments:
                folder.write_environment(str(item["name"]), item)
        folder.trials.mkdir()
        jsonio.write(folder.path / "plan.json", plan.to_dict())
        return folder

    @property
    def trials(self) -> Path:
        """Where the trials' results lie."""
        return self.path / "trials"

    def plan(self) -> Plan:
        """The run's plan.

        Raises:
            ResultError: no plan, or one that cannot be read.
        """
        data = jsonio.read(self.path / "plan.json")
        if not isinstance(data, dict):
            raise ResultError(
                f"{self.path / 'plan.json'} holds no plan.", remedy="Name a run's folder."
            )
        return Plan.from_dict(data)

    def write_environment(self, name: str, data: Mapping[str, Any]) -> None:
        """Keep an environment's description."""
        jsonio.write(self._file("environments", f"{name}.json"), dict(data))

    def write_session(self, name: str, identity: Mapping[str, Any]) -> None:
        """Add to an environment's file what the engine knows of its session."""
        path = self._file("environments", f"{name}.json")
        jsonio.write(path, {**jsonio.read(path), "session": dict(identity)})

    def write_facts(self, name: str, data: Any) -> None:
        """Keep facts and findings of the host (``host``) or of an environment (its name)."""
        jsonio.write(self._file("facts", f"{name}.json"), data)

    def write_trial(self, trial: PlannedTrial, result: TrialResult) -> None:
        """Keep one result at once."""
        jsonio.write(self._file("trials", trial.file), result.to_dict())

    def read_trial(self, trial: PlannedTrial) -> TrialResult | None:
        """A result that is there and whole; None where it is absent or damaged."""
        try:
            data = jsonio.read(self._file("trials", trial.file))
            return TrialResult.from_dict(data) if isinstance(data, dict) else None
        except ResultError:
            return None

    def missing(self, plan: Plan) -> tuple[PlannedTrial, ...]:
        """What ``--resume`` has to do: absent, damaged, and lost with its device or container."""
        return tuple(trial for trial in plan.trials if self._is_open(trial))

    def calls(self) -> dict[str, int]:
        """Frozen calls per timed block, by ``device/workload/variant``."""
        path = self.path / "calls.json"
        if not path.exists():
            return {}
        data = jsonio.read(path)
        try:
            return {str(row): int(calls) for row, calls in data["calls"].items()}
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise ResultError(
                f"{path} cannot be read.", why=f"{error}.", remedy="Start a new run."
            ) from error

    def write_calls(self, calls: Mapping[str, int]) -> None:
        """Freeze calls per timed block."""
        jsonio.write(self.path / "calls.json", {"schema": CALLS_SCHEMA, "calls": dict(calls)})

    def write_report(self, data: Mapping[str, Any], markdown: str) -> None:
        """Keep the merged report and its page."""
        jsonio.write(self.path / "report.json", dict(data))
        jsonio.write_text(self.path / "report.md", markdown)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes out. The lock goes away with its process, however that ends.

        Raises:
            InputError: another process works on this run.
        """
        handle = os.open(self.path / "run.lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _take(handle, self.path)
            os.truncate(handle, 0)
            os.write(handle, f"{os.getpid()}\n".encode())
            yield
        finally:
            os.close(handle)

    def _is_open(self, trial: PlannedTrial) -> bool:
        result = self.read_trial(trial)
        return result is None or result.status is TrialStatus.LOST

    def _file(self, kind: str, name: str) -> Path:
        if Path(name).name != name or name.startswith("."):
            raise InputError(
                f"{name!r} is not a file name inside a run's folder.",
                remedy="Rename the environment, workload or variant.",
            )
        return self.path / kind / name


def refuse_changed(plan: Plan, *, code_hash: str, lock_hashes: Mapping[str, str]) -> None:
    """Refuse to resume a run whose code or environments are no longer what they were.

    Raises:
        InputError: naming what changed.
    """
    changed = ["the code"] if plan.code_hash != code_hash else []
    changed += [
        f"the lock of {name}"
        for name, known in plan.lock_hashes.items()
        if lock_hashes.get(name) != known
    ]
    if changed:
        raise InputError(
            f"Run {plan.run_id} cannot be resumed.",
            why=f"Changed since it was planned: {', '.join(changed)}.",
            remedy="Start a new run, or go back to what the run was planned with.",
        )


def _take(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = os.read(handle, 32).decode("ascii", "replace").strip() or "unknown"
        raise InputError(
            f"Another process works on {path}.",
            why=f"Its process id is {owner}.",
            remedy="Wait for it, or stop it and resume.",
        ) from error
