"""The probe's events as facts: what was told, and why the rest was not."""

from __future__ import annotations

import json
from typing import Any, Mapping

from envcheck.active.plan import Plan
from envcheck.facts.field import unavailable

FIELDS = ("reference", "matrix", "copies", "memory", "telemetry")
BURN_IN_FIELDS = ("burn_in", "hot_memory")


class Gathered:
    """Takes events in and gives the ``active`` section."""

    def __init__(self) -> None:
        self.is_burning = False
        self._start: dict[str, Any] = {}
        self._end: dict[str, Any] = {}
        self._refused = ""
        self._died = ""
        self._devices: dict[int, dict[str, Any]] = {}

    @property
    def count(self) -> int:
        """Devices in the run; 0 before that is known."""
        return int(self._start.get("count", 0))

    def take(self, line: bytes) -> None:
        """One event; a line that was cut off when the process died is left out."""
        try:
            event = json.loads(line)
            name, place, value = str(event["name"]), int(event["device"]), event["value"]
        except (ValueError, KeyError, TypeError):
            return
        if place >= 0:
            self._devices.setdefault(place, {})[name] = value
            self.is_burning = name == "burn_in"
        elif name == "start":
            self._start = dict(value)
        elif name == "end":
            self._end = dict(value)
        elif name == "refused":
            self._refused = str(value)

    def ended(self, returncode: int, silent_s: float = 0.0) -> None:
        """How the process came to its end."""
        if self._end or self._refused:
            return
        if silent_s:
            how = f"it told nothing for {silent_s:g} s and was ended"
        elif returncode < 0:
            how = f"signal {-returncode}"
        else:
            how = f"exit status {returncode}"
        self._died = f"{how}, {self._place()}"

    def progress(self) -> str:
        """One line on the burn-in."""
        return "; ".join(
            f"{label(device.get('identity', {}), place)} {_burning(device['burn_in'])}"
            for place, device in sorted(self._devices.items())
            if "intervals" in device.get("burn_in", {})
        )

    def facts(self, plan: Plan) -> dict[str, Any]:
        """The ``active`` section."""
        if self._refused:
            return dict(unavailable(self._refused))
        if not self._start:
            return dict(unavailable(f"the process that loads the devices ended: {self._died}"))
        fields = (*FIELDS, *(BURN_IN_FIELDS if plan.burn_in_s else ()))
        return {
            **self._start,
            "state": "died" if self._died else self._end["state"],
            "ending": self._died or "in order",
            "elapsed_s": self._end.get("elapsed_s", unavailable("the process did not say")),
            "devices": [self._device(place, fields) for place in range(self.count)],
        }

    def _device(self, place: int, fields: tuple[str, ...]) -> dict[str, Any]:
        told = self._devices.get(place, {})
        missing = unavailable(f"the process ended before this: {self._died or 'not told'}")
        identity = told.get("identity", {})
        named = identity if "unavailable" not in identity else {}
        return {
            "index": place,
            "name": "unnamed",
            **named,
            "error": told.get("error", "none"),
            **{name: told.get(name, missing) for name in fields},
        }

    def _place(self) -> str:
        """Where the process was when it was last heard of."""
        last = [
            f"{label(device.get('identity', {}), place)}: {device['phase']}"
            for place, device in sorted(self._devices.items())
            if device.get("phase", "idle") != "idle"
        ]
        return "during " + ", ".join(last) if last else "before any device was loaded"


def label(identity: Mapping[str, Any], place: int) -> str:
    """How a device is named to a reader."""
    index, name = identity.get("index", place), identity.get("name", "unnamed")
    return str(name) if str(name).startswith("CPU") else f"GPU {index} ({name})"


def _burning(burn_in: Mapping[str, Any]) -> str:
    last = burn_in["intervals"][-1] if burn_in["intervals"] else {}
    speeds = ", ".join(f"{mode} {value:.4g}" for mode, value in last.get("tflops", {}).items())
    gauges = (("power_w", "W"), ("temperature_c", "°C"), ("sm_mhz", "MHz"))
    sensed = "".join(f", {last[name]:.0f} {unit}" for name, unit in gauges if name in last)
    return (
        f"{burn_in['ran_s']:.0f} of {burn_in['asked_s']:.0f} s: {speeds} TFLOP/s, "
        f"{burn_in['wrong']} wrong elements{sensed}"
    )
