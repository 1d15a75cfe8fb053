"""What produced a result: versions side by side, and the devices that the trials saw."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Iterable, Mapping, Sequence

from core.records import TrialResult
from core.validity import is_number
from report.schema import Component, DevicePart, Difference, EnvironmentPart, Problem

COMPONENTS = {
    "torch": "PyTorch",
    "torchvision": "torchvision",
    "torchaudio": "torchaudio",
    "wheel_cuda": "CUDA of the wheel",
    "toolkit_cuda": "CUDA toolkit",
    "driver_cuda": "CUDA of the driver",
    "driver": "driver",
    "cudnn": "cuDNN",
    "cublas": "cuBLAS",
    "triton": "Triton",
    "numpy": "NumPy",
    "python": "Python",
    "arch_list": "GPU architectures",
    "lock_hash": "lock",
    "image_id": "image",
}
SUBJECT = ("torch", "lock_hash", "image_id")
"""Not repeated beside a ratio: the subject itself, and hashes that differ by definition."""

DECLARED = ("torch", "torchvision", "torchaudio", "wheel_cuda", "python")
"""Taken from the environment's description where no trial could say it."""


def components(
    names: Sequence[str],
    descriptions: Mapping[str, Mapping[str, Any]],
    trials: Sequence[TrialResult],
) -> list[Component]:
    """Every version, environment by environment; read off the trials before the description."""
    seen = _identities(trials)
    result = []
    for key, label in COMPONENTS.items():
        values = {name: _value(key, seen[name], descriptions.get(name, {})) for name in names}
        known = {value for value in values.values() if value}
        if known:
            result.append(Component(key=key, label=label, values=values, differs=len(known) > 1))
    return result


def differences(all_of: Iterable[Component], baseline: str, other: str) -> list[Difference]:
    """What else differs between two environments, where both sides are known."""
    return [
        Difference(label=c.label, baseline=str(old), other=str(new))
        for c in all_of
        if c.key not in SUBJECT
        and (old := c.values.get(baseline))
        and (new := c.values.get(other))
        and old != new
    ]


def environment_parts(
    names: Sequence[str], baseline: str, descriptions: Mapping[str, Mapping[str, Any]]
) -> list[EnvironmentPart]:
    """The environments of the plan, in its order."""
    return [_environment(name, baseline, descriptions.get(name, {})) for name in names]


def device_parts(trials: Sequence[TrialResult]) -> list[DevicePart]:
    """Every distinct device, by kind, name, UUID and memory, with the environments that saw it."""
    seen: dict[tuple[str, str, str, int | None, str], set[str]] = defaultdict(set)
    for trial in trials:
        if _device_key(trial)[1]:
            seen[_device_key(trial)].add(trial.environment)
    return [
        DevicePart(
            device=kind,
            name=name,
            uuid=uuid,
            memory_bytes=memory,
            driver=driver,
            environments=sorted(environments),
        )
        for (kind, name, uuid, memory, driver), environments in seen.items()
    ]


def identity_problems(devices: Sequence[DevicePart], parts: Sequence[Component]) -> list[Problem]:
    """Warnings about devices that are alike but not the same, or not to be told apart."""
    problems = []
    for kind in ("cpu", "cuda"):
        found = [device for device in devices if device.device == kind]
        names = sorted({device.name for device in found})
        uuids = sorted({device.uuid for device in found})
        if len(names) > 1:
            problems.append(_warning(f"Trials on {kind} ran on different devices: {names}."))
        elif kind == "cuda" and len(uuids) > 1:
            problems.append(_warning(f"Two cards named {names[0]} took part: {uuids}."))
        if kind == "cuda" and "" in uuids:
            problems.append(_warning(f"A card named {names[0]} has no UUID in its results."))
    for part in parts:
        for environment, value in part.values.items():
            if value and " / " in value:
                problems.append(_warning(f"{part.label} changed in {environment}: {value}."))
    return problems


def device_of(trial: TrialResult) -> tuple[str, int | None]:
    """What must be equal to set two trials against each other: device name and memory."""
    key = _device_key(trial)
    return key[1], key[3]


def _identities(trials: Sequence[TrialResult]) -> Mapping[str, list[Mapping[str, Any]]]:
    seen: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for trial in trials:
        if trial.identity and trial.identity not in seen[trial.environment]:
            seen[trial.environment].append(trial.identity)
    return seen


def _value(
    key: str, identities: Sequence[Mapping[str, Any]], description: Mapping[str, Any]
) -> str | None:
    read = [_version(key, identity.get(key)) for identity in identities]
    found = list(dict.fromkeys(text for text in read if text))
    if found:
        return " / ".join(found)
    session = description.get("session")
    if key == "image_id" and isinstance(session, dict):
        return _text(session.get(key)) or None
    if key in DECLARED or key == "lock_hash":
        return _text(description.get(key)) or None
    return None


def _version(key: str, value: object) -> str:
    """Counted as one number by cuDNN: 8500 is 8.5.0, from 9 on 91002 is 9.10.2."""
    if key != "cudnn" or isinstance(value, bool) or not isinstance(value, int):
        return _text(value)
    major, rest = divmod(value, 10000) if value >= 90000 else divmod(value, 1000)
    return f"{major}.{rest // 100}.{rest % 100}"


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(_text(item) for item in value)[:200]
    return "" if value is None else str(value)[:200]


def _environment(name: str, baseline: str, description: Mapping[str, Any]) -> EnvironmentPart:
    session = description.get("session")
    image = session.get("image_id") if isinstance(session, dict) else ""
    return EnvironmentPart(
        name=name,
        title=_text(description.get("title")) or name,
        is_baseline=name == baseline,
        managed=description.get("engine") != "host",
        lock_hash=_text(description.get("lock_hash")),
        image_id=_text(image),
    )


def _device_key(trial: TrialResult) -> tuple[str, str, str, int | None, str]:
    identity = trial.identity
    if trial.device == "cpu":
        return "cpu", _text(identity.get("cpu")), "", None, ""
    memory = identity.get("gpu_memory_bytes")
    return (
        trial.device,
        _text(identity.get("gpu")),
        _text(identity.get("gpu_uuid")),
        int(memory) if is_number(memory) and memory is not None else None,
        _text(identity.get("driver")),
    )


def _warning(what: str) -> Problem:
    return Problem(
        level="warning", what=what, remedy="Compare only results of one device, measured alike."
    )
