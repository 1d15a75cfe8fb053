"""Sessions of a run: one per environment, kept up between rounds, opened again when lost."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Callable, Mapping, Sequence

from core.errors import TorchrigError
from engines.base import Engine, Outcome, Session, Target

ATTEMPTS = 2
"""A trial whose session goes away is tried once more in a new session."""

LOST_IN_A_ROW = 2
"""After so many different trials lost one after the other, an environment is given up."""

Opened = Callable[[str, Mapping[str, Any]], None]


class Sessions:
    """Opens a session when an environment is first needed and closes all of them at the end.

    Args:
        opened: called with the environment's name and the session's identity after each opening.
    """

    def __init__(
        self, engine: Engine, targets: Mapping[str, Target], *, label: str, opened: Opened
    ) -> None:
        self._engine = engine
        self._targets = targets
        self._label = label
        self._opened = opened
        self._open: dict[str, Session] = {}
        self._lost: dict[str, int] = {}
        self._given_up: dict[str, str] = {}
        self.faults: list[str] = []

    def __enter__(self) -> Sessions:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for name in list(self._open):
            self._close(name)

    def python(
        self, environment: str, args: Sequence[str], *, device: str, timeout_s: float
    ) -> Outcome:
        """Run one process; a lost session is opened again and the process tried once more."""
        outcome = _gone("the session was never opened")
        for _ in range(ATTEMPTS):
            session = self._session(environment, device)
            if session is None:
                return _gone(self._given_up[environment])
            outcome = session.python(args, timeout_s=timeout_s)
            if not outcome.lost:
                self._lost[environment] = 0
                return outcome
            self._close(environment)
        self._count_lost(environment, outcome)
        return outcome

    def _session(self, environment: str, device: str) -> Session | None:
        if environment in self._given_up:
            return None
        if environment not in self._open:
            self._start(environment, device)
        return self._open.get(environment)

    def _start(self, environment: str, device: str) -> None:
        target = self._targets[environment]
        try:
            session = self._engine.open(target, device=device, label=self._label)
        except TorchrigError as error:
            self._given_up[environment] = f"its environment could not be started: {error}"
            return
        self._open[environment] = session
        self._opened(environment, session.identity)

    def _count_lost(self, environment: str, outcome: Outcome) -> None:
        self._lost[environment] = self._lost.get(environment, 0) + 1
        if self._lost[environment] >= LOST_IN_A_ROW:
            self._given_up[environment] = (
                f"given up after {LOST_IN_A_ROW} trials lost in a row, last: {outcome.reason}"
            )

    def _close(self, environment: str) -> None:
        session = self._open.pop(environment)
        try:
            session.close()
        except TorchrigError as error:
            self.faults.append(f"{environment}: {error}")


def _gone(reason: str) -> Outcome:
    return Outcome(
        returncode=-1, stdout=b"", log="", timed_out=False, lost=True, reason=reason, elapsed_s=0.0
    )
