"""The plan: everything a run will do, fixed before it starts and written beside its results."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Mapping, Sequence

from core.errors import InputError, ResultError
from runs.catalog import Offer
from runs.cells import Cell, PlannedTrial
from runs.schedule import schedule
from runs.select import LeftOut, Request, cells_of, choose_environments, choose_offers

PLAN_SCHEMA = 1

ROUNDS = {"smoke": 1, "quick": 3, "full": 6, "published": 3}
"""Rounds of each preset. ``published`` takes 3: the articles timed one process each, and three
rounds are the fewest that give an interval a person can use. Only 6 or more can show *no
difference* (docs/design.md)."""

MOST_ROUNDS = 100

SHORTEST_LIMIT_S = 120.0
LONGEST_LIMIT_S = 3600.0
LIMIT_FACTOR = 10.0
"""A trial may take ten times its estimate: estimates come from one machine, users have others."""


@dataclass(frozen=True)
class Plan:
    """One run: its identity, its trials in order, and what it was made from.

    ``limits_s`` and ``estimates_s`` map ``device/workload/variant`` to seconds per trial.
    ``lock_hashes`` maps each environment to the hash of the lock it was built from.
    """

    run_id: str
    created_at: str
    preset: str
    device: str
    rounds: int
    seed: int
    engine: str
    baseline: str
    environments: tuple[str, ...]
    lock_hashes: Mapping[str, str]
    code_hash: str
    trials: tuple[PlannedTrial, ...]
    estimates_s: Mapping[str, float]
    limits_s: Mapping[str, float]
    left_out: tuple[LeftOut, ...] = ()
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    schema: int = PLAN_SCHEMA

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell once, in the order of the first round."""
        return tuple(dict.fromkeys(trial.cell for trial in self.trials))

    @property
    def estimate_s(self) -> float:
        """Seconds for all trials, the start of their processes included."""
        return sum(self.estimate(trial) for trial in self.trials)

    def estimate(self, trial: PlannedTrial) -> float:
        """Seconds for one trial."""
        return self.estimates_s["/".join(trial.cell.row)]

    def limit(self, trial: PlannedTrial) -> float:
        """Seconds after which one trial is ended."""
        return self.limits_s["/".join(trial.cell.row)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for plan.json."""
        trials = [trial.to_dict() for trial in self.trials]
        return {**asdict(self), "trials": trials, "estimate_s": self.estimate_s}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """Read back what ``to_dict`` wrote.

        Raises:
            ResultError: a newer schema, a missing field, or an impossible value.
        """
        _refuse_schema(data.get("schema"))
        fields = {key: value for key, value in data.items() if key != "estimate_s"}
        try:
            fields["trials"] = tuple(PlannedTrial.from_dict(item) for item in data["trials"])
            fields["left_out"] = tuple(LeftOut(**item) for item in data["left_out"])
            for key in ("environments", "commands", "notes"):
                fields[key] = tuple(str(item) for item in data[key])
            plan = cls(**fields)
            _ = [(plan.limit(trial) + plan.estimate(trial)) for trial in plan.trials]
        except (TypeError, KeyError, ValueError, InputError) as error:
            raise ResultError(
                "The plan of a run cannot be read.",
                why=f"{type(error).__name__}: {error}.",
                remedy="Start a new run; this one's plan.json is damaged.",
            ) from error
        return plan


@dataclass(frozen=True)
class Origin:
    """What a plan is made for and from, settled by the caller before anything runs."""

    engine: str
    baseline: str
    code_hash: str
    run_id: str
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def make_plan(
    descriptions: Sequence[Mapping[str, Any]],
    offers: Sequence[Offer],
    request: Request,
    origin: Origin,
    *,
    created_at: datetime,
) -> Plan:
    """Turn a request into a plan.

    Args:
        descriptions: the environments on offer, each the content of its environment.json.
        offers: the suite, from ``runs.catalog``.
        request: what the user asked for.
        origin: engine, the table's baseline, code hash, run id, the commands to repeat it. Where
            the baseline is not among the chosen environments, the first chosen one serves.
        created_at: an aware time.

    Raises:
        InputError: an unknown name (with the nearest known one) or an impossible number.
    """
    chosen = choose_environments(descriptions, request.environments)
    names = tuple(str(item["name"]) for item in chosen)
    baseline = origin.baseline if origin.baseline in names else names[0]
    usable, left_out = choose_offers(offers, request)
    rounds = _rounds(request)
    cells = cells_of(usable, chosen, request=request, baseline=baseline)
    estimates = _estimates(usable, cells, request.preset)
    return Plan(
        run_id=origin.run_id,
        created_at=created_at.isoformat(timespec="seconds"),
        preset=request.preset,
        device=request.device,
        rounds=rounds,
        seed=request.seed,
        engine=origin.engine,
        baseline=baseline,
        environments=names,
        lock_hashes={str(item["name"]): str(item.get("lock_hash", "")) for item in chosen},
        code_hash=origin.code_hash,
        trials=schedule(cells, rounds=rounds, seed=request.seed),
        estimates_s=estimates,
        limits_s={row: _limit(seconds, request) for row, seconds in estimates.items()},
        left_out=left_out,
        commands=origin.commands,
        notes=origin.notes,
    )


def _rounds(request: Request) -> int:
    rounds = ROUNDS[request.preset] if request.rounds is None else request.rounds
    if not 1 <= rounds <= MOST_ROUNDS:
        raise InputError(
            f"{rounds} is not a possible number of rounds.",
            remedy=f"Ask for 1 to {MOST_ROUNDS}.",
        )
    return rounds


def _estimates(offers: Sequence[Offer], cells: Sequence[Cell], preset: str) -> dict[str, float]:
    seconds = {
        (device, *offer.key): offer.seconds[preset][device]
        for offer in offers
        for device in offer.devices
    }
    return {"/".join(cell.row): seconds[cell.row] for cell in cells}


def _limit(seconds: float, request: Request) -> float:
    if request.timeout_s is not None:
        if request.timeout_s <= 0:
            raise InputError("A time limit must be above 0 seconds.", remedy="Give a larger one.")
        return request.timeout_s
    return min(max(LIMIT_FACTOR * seconds, SHORTEST_LIMIT_S), LONGEST_LIMIT_S)


def _refuse_schema(schema: object) -> None:
    if schema == PLAN_SCHEMA and not isinstance(schema, bool):
        return
    raise ResultError(
        f"The plan of a run has schema {schema!r}.",
        why=f"This version reads schema {PLAN_SCHEMA}.",
        remedy="Read the run with the version that wrote it, or start a new run.",
    )
