"""What a workload is: its metadata, which needs no torch, and one prepared trial of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional, Sequence

from core.errors import InputError
from core.records import OutputCheck
from core.status import TrialStatus
from workloads.names import pick

PRESETS = ("smoke", "quick", "full", "published")
DEVICES = ("cpu", "cuda")
KINDS = ("kernel", "step", "one_off")


@dataclass(frozen=True)
class Variant:
    """A setting of a workload.

    ``published_cpu`` marks the rows for which an article states a CPU figure: the ``published``
    preset runs them on the CPU beside the GPU.
    """

    name: str
    summary: str
    devices: tuple[str, ...] = DEVICES
    published_cpu: bool = False


@dataclass(frozen=True)
class Preset:
    """Parameters of a workload at one size.

    ``cpu`` and ``cuda`` override ``params`` on that device. ``estimate_s`` is the wall-clock
    length of one trial, process start included, in seconds per device; ``variant_estimate_s``
    replaces it for variants that differ much.
    """

    params: Mapping[str, Any]
    estimate_s: Mapping[str, float]
    cpu: Mapping[str, Any] = field(default_factory=dict)
    cuda: Mapping[str, Any] = field(default_factory=dict)
    variant_estimate_s: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Obstacle:
    """Why a variant cannot run here: ``unsupported``, or ``skipped`` for want of something."""

    status: TrialStatus
    reason: str
    remedy: str = ""


def unsupported(reason: str, remedy: str = "") -> Obstacle:
    """An obstacle that no installation removes: not this version, or not this card."""
    return Obstacle(TrialStatus.UNSUPPORTED, reason, remedy)


def skipped(reason: str, remedy: str) -> Obstacle:
    """An obstacle that installing something removes."""
    return Obstacle(TrialStatus.SKIPPED, reason, remedy)


@dataclass(frozen=True)
class Request:
    """One cell to be tried, with everything that decides its inputs."""

    workload: str
    variant: str
    device: str
    preset: str
    params: Mapping[str, Any]
    seed: int = 0
    threads: int = 1
    calls: Optional[int] = None


@dataclass(frozen=True)
class Prepared:
    """One trial, ready to be called.

    ``call`` is the unit that is timed. ``check`` gets the output of the first call and compares
    it with a reference of higher precision; ``final_check`` looks at the outcome of all calls
    after the timing. ``work`` is what one call does (``flop``, ``bytes``, ``samples``); rates
    are derived from it. ``settings`` joins what two trials must share to be comparable.
    """

    call: Callable[[], Any]
    check: Callable[[Any], Sequence[OutputCheck]]
    inputs: Sequence[Any]
    work: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    final_check: Optional[Callable[[], Sequence[OutputCheck]]] = None
    metrics: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda _measured: {}


@dataclass(frozen=True)
class Workload:
    """A named unit of work and its variants, sizes and measuring class.

    ``kind`` chooses the measuring rules: ``kernel``, ``step`` or ``one_off``. ``obstacle``
    answers, by feature tests alone, whether a variant can run on a device here; ``prepare``
    builds the inputs and the call.
    """

    name: str
    summary: str
    kind: str
    variants: tuple[Variant, ...]
    presets: Mapping[str, Preset]
    prepare: Callable[[Request], Prepared]
    obstacle: Callable[[str, str], Optional[Obstacle]] = lambda _variant, _device: None

    def variant(self, name: str) -> Variant:
        """The variant of that name.

        Raises:
            InputError: no such variant; the nearest known one is named.
        """
        return pick(f"variant of {self.name}", name, {v.name: v for v in self.variants})

    def preset(self, name: str) -> Preset:
        """The preset of that name.

        Raises:
            InputError: no such preset; the nearest known one is named.
        """
        return pick("preset", name, self.presets)

    def params(self, preset: str, device: str) -> dict[str, Any]:
        """Parameters at a preset on a device."""
        chosen = self.preset(preset)
        return {**chosen.params, **(chosen.cuda if device == "cuda" else chosen.cpu)}

    def estimate_s(self, variant: str, preset: str, device: str) -> float:
        """About how many seconds one trial takes, process start included."""
        chosen = self.preset(preset)
        return float(chosen.variant_estimate_s.get(variant, chosen.estimate_s)[device])

    def request(
        self,
        variant: str,
        device: str,
        preset: str,
        *,
        seed: int = 0,
        threads: int = 1,
        calls: Optional[int] = None,
    ) -> Request:
        """A checked request for one trial of this workload.

        Raises:
            InputError: an unknown variant, device or preset, or a variant not for that device.
        """
        chosen = self.variant(variant)
        pick("device", device, dict.fromkeys(DEVICES))
        if device not in chosen.devices:
            raise InputError(
                f"{self.name} {variant} does not run on {device}.",
                why=f"It is made for {', '.join(chosen.devices)}.",
                remedy=f"Ask for --device {chosen.devices[0]}.",
            )
        params = self.params(preset, device)
        return Request(self.name, variant, device, preset, params, seed, threads, calls)
