"""What workloads there are, and what of them runs here."""

from __future__ import annotations

from typing import Any, Mapping

from core.status import TrialStatus
from workloads.base import DEVICES, Preset, Variant, Workload
from workloads.failures import summary
from workloads.tables import aligned
from workloads.trial import obstacle

LISTING_SCHEMA = 1


def listing(found: Mapping[str, Workload], device: str) -> dict[str, Any]:
    """Plain data: every workload with its variants, its presets and whether it runs here."""
    return {
        "schema": LISTING_SCHEMA,
        "device": device,
        "workloads": [_workload(workload, device) for workload in found.values()],
    }


def listing_table(data: Mapping[str, Any]) -> str:
    """A table of variants, then the presets with seconds per trial, for a person."""
    rows = [
        [work["name"], variant["name"], variant["here"]["status"], _why(variant)]
        for work in data["workloads"]
        for variant in work["variants"]
    ]
    table = aligned(["workload", "variant", f"here ({data['device']})", "what, or why not"], rows)
    return f"{table}\nSeconds per trial, about:\n{_presets_table(data)}"


def _presets_table(data: Mapping[str, Any]) -> str:
    presets = list(data["workloads"][0]["variants"][0]["estimate_s"]) if data["workloads"] else []
    rows = [
        [work["name"], variant["name"]]
        + [f"{variant['estimate_s'][preset][data['device']]:g}" for preset in presets]
        for work in data["workloads"]
        for variant in work["variants"]
    ]
    return aligned(["workload", "variant", *presets], rows)


def _why(variant: Mapping[str, Any]) -> str:
    here = variant["here"]
    return " ".join(
        part for part in (here["reason"] and f"{here['reason']}.", here["remedy"]) if part
    ) or str(variant["summary"])


def _workload(workload: Workload, device: str) -> dict[str, Any]:
    return {
        "name": workload.name,
        "summary": workload.summary,
        "kind": workload.kind,
        "presets": {name: _preset(preset) for name, preset in workload.presets.items()},
        "variants": [_variant(workload, variant, device) for variant in workload.variants],
    }


def _variant(workload: Workload, variant: Variant, device: str) -> dict[str, Any]:
    return {
        "name": variant.name,
        "summary": variant.summary,
        "devices": list(variant.devices),
        "published_cpu": variant.published_cpu,
        "here": _here(workload, variant.name, device),
        "estimate_s": {
            preset: {one: workload.estimate_s(variant.name, preset, one) for one in DEVICES}
            for preset in workload.presets
        },
    }


def _here(workload: Workload, variant: str, device: str) -> dict[str, str]:
    """Whether a cell runs here; a feature test that itself breaks is a failure, not an end."""
    try:
        found = obstacle(workload, variant, device)
    except Exception as error:  # noqa: BLE001 - a broken installation can raise anything
        return {"status": TrialStatus.FAILED.value, "reason": summary(error), "remedy": ""}
    if found is None:
        return {"status": "ok", "reason": "", "remedy": ""}
    return {"status": found.status.value, "reason": found.reason, "remedy": found.remedy}


def _preset(preset: Preset) -> dict[str, Any]:
    return {
        "cpu": {**preset.params, **preset.cpu},
        "cuda": {**preset.params, **preset.cuda},
    }
