"""The suite as the planner needs to see it: plain data, no torch, no workload code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

from workloads.base import Workload


@dataclass(frozen=True)
class Offer:
    """One variant of one workload.

    ``seconds`` gives, per preset the variant belongs to and per device, how many seconds
    one trial takes, the start of its process included. ``published_cpu`` marks what an article
    measured on a CPU.
    """

    workload: str
    variant: str
    devices: tuple[str, ...]
    seconds: Mapping[str, Mapping[str, float]]
    published_cpu: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """Workload and variant."""
        return self.workload, self.variant

    @property
    def cpu_only(self) -> bool:
        """Whether no GPU can run it."""
        return self.devices == ("cpu",)


def offers(workloads: Mapping[str, Workload]) -> list[Offer]:
    """What ``workloads.registry.load()`` found, one offer per variant."""
    return [
        Offer(
            workload=workload.name,
            variant=variant.name,
            devices=variant.devices,
            seconds={
                preset: {
                    device: workload.estimate_s(variant.name, preset, device)
                    for device in variant.devices
                }
                for preset in workload.presets
            },
            published_cpu=variant.published_cpu,
        )
        for workload in workloads.values()
        for variant in workload.variants
    ]
