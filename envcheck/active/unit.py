"""Everything that is done to one device, in order, each finding told at once."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Mapping, Optional, Protocol

from envcheck.active import copies, memory
from envcheck.active import plan as plans
from envcheck.active.accelerator import Accelerator, set_precision
from envcheck.active.burn import BurnIn
from envcheck.active.matrix import Injection, Operands, Products, measure
from envcheck.active.sampler import Sampler
from envcheck.active.sensors import Sensors, bus_id
from envcheck.facts.field import unavailable

SNAPSHOT_S = 10.0
ALIVE_S = 5.0
CUT_SHORT = "not reached: the run was cut short"


class Tell(Protocol):
    """Says one fact of a device."""

    def __call__(self, name: str, value: Any, device: int = -1) -> None:
        """``device`` is the place in the list of devices, -1 for the whole run."""


class Unit:
    """One device of a run. After its first error nothing more is asked of it."""

    def __init__(
        self,
        accelerator: Accelerator,
        place: int,
        plan: plans.Plan,
        tell: Tell,
        stopped: threading.Event,
    ) -> None:
        self._acc = accelerator
        self._place = place
        self._plan = plan
        self._tell_all = tell
        self._stopped = stopped
        self._error = ""
        self._sampler: Optional[Sampler] = None
        self._operands: Optional[Operands] = None
        self._sizes = plans.CPU
        self._told_at = self._alive_at = time.monotonic()
        inject = plan.inject if place == 0 else "none"
        self._short_injection = Injection("none" if plan.burn_in_s else inject)
        self._burn_injection = Injection(inject)

    def short(self) -> None:
        """Identity, products, copies and memory."""
        self._step("identity", self._identity)
        self._step("reference", self._reference)
        self._step("matrix", self._matrix)
        self._operands = None
        if self._acc.kind == "cuda":
            self._step("copies", self._copies)
        else:
            self._tell("copies", unavailable("a CPU has no link of its own to be copied over"))
        self._step("memory", lambda: self._memory("memory"))
        self._snapshot()
        self._phase("idle")

    def burn_in(self) -> None:
        """Products until the time is over, then the memory again, while it is hot."""
        self._step("burn_in", self._burn)
        self._operands = None
        self._step("hot_memory", lambda: self._memory("memory"))

    def close(self) -> None:
        """Stop the sensors and tell what they saw."""
        if self._sampler:
            self._sampler.stop()
        self._snapshot()

    def _step(self, name: str, work: Callable[[], Any]) -> None:
        if self._error:
            self._tell(name, unavailable(f"not reached: {self._error}"))
        elif self._stopped.is_set():
            self._tell(name, unavailable(CUT_SHORT))
        else:
            self._tell(name, self._attempt(name, work))

    def _attempt(self, name: str, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - a faulty card fails in any way; that is the fact
            first = (str(error).strip().splitlines() or [""])[0]
            self._error = f"{name}: {type(error).__name__}: {first}"[:300]
            self._tell("error", self._error)
            return unavailable(self._error)

    def _identity(self) -> dict[str, Any]:
        found = self._acc.identity()
        if self._acc.kind == "cpu":
            self._tell("telemetry", unavailable("a CPU has no NVML"))
            return found
        try:
            sensors = Sensors(bus_id(self._acc.ordinal))
            found.update(sensors.fixed(identify=self._plan.identify))
        except Exception as error:  # noqa: BLE001 - sensors may fail in any way
            self._tell("telemetry", unavailable(f"{type(error).__name__}: {error}"))
            return found
        self._sampler = Sampler(sensors.sample)
        self._sampler.start()
        return found

    def _reference(self) -> str:
        self._phase("prepare")
        self._sizes = plans.sizes(self._acc.kind, self._acc.memory()[0])
        self._operands = Operands(self._acc, self._sizes.matrix)
        return self._operands.fault(self._acc.torch)

    def _matrix(self) -> dict[str, Any]:
        operands = self._operands
        if operands is None:
            raise RuntimeError("there are no operands")
        rows = []
        for mode in plans.modes(self._acc.kind, self._acc.capability()):
            self._phase(mode)
            rows.append(
                measure(self._acc, operands, mode, self._sizes.block_s, self._short_injection)
            )
        return {"size": operands.size, "injected": self._short_injection.done, "modes": rows}

    def _copies(self) -> dict[str, Any]:
        self._phase("copy")
        block_s = self._sizes.block_s
        speed = copies.on_device(self._acc, self._sizes.copy_bytes, block_s)
        self._phase("host copy")
        return {"device_gbps": speed, **copies.with_host(self._acc, block_s)}

    def _memory(self, phase: str) -> dict[str, Any]:
        self._phase(phase)
        try:
            return memory.test(self._acc, self._sizes)
        finally:
            self._acc.release()

    def _burn(self) -> dict[str, Any]:
        self._phase("prepare")
        torch = self._acc.torch
        set_precision(torch, tf32=False)
        self._operands = Operands(self._acc, self._sizes.matrix)
        modes = plans.modes(self._acc.kind, self._acc.capability())
        chosen = [mode for mode in plans.BURN_IN_MODES if mode in modes]
        products = [Products(torch, mode, self._operands) for mode in chosen]
        asked, least = self._plan.burn_in_s, self._sizes.interval_s
        burning = BurnIn(self._acc, products, asked, least, self._burn_injection, self._look)
        self._phase("burn-in")
        found = burning.run(self._stopped.is_set, lambda: self._progress(burning), self._alive)
        return {**found, "injected": self._burn_injection.done}

    def _progress(self, burning: BurnIn) -> None:
        self._tell("burn_in", burning.to_dict())
        if time.monotonic() - self._told_at >= SNAPSHOT_S:
            self._snapshot()

    def _alive(self) -> None:
        """Show whoever watches that the device still answers."""
        if time.monotonic() - self._alive_at >= ALIVE_S:
            self._alive_at = time.monotonic()
            self._tell("phase", "burn-in")

    def _look(self) -> Mapping[str, Any]:
        return self._sampler.last if self._sampler else {}

    def _phase(self, name: str) -> None:
        if self._sampler:
            self._sampler.phase = name
        self._tell("phase", name)

    def _snapshot(self) -> None:
        self._told_at = time.monotonic()
        if self._sampler:
            self._tell("telemetry", self._sampler.to_dict())

    def _tell(self, name: str, value: Any) -> None:
        self._tell_all(name, value, self._place)
