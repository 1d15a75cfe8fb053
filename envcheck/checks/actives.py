"""What the active checks share: the devices under test, their phases, how answers are joined."""

from __future__ import annotations

from typing import Callable, Iterable, Optional, TypeVar, Union

from envcheck.active.timeline import RESTING
from envcheck.checks.judgement import Judgement
from envcheck.reading import Facts, Unread

Answer = TypeVar("Answer")
NEEDS = ("active.devices",)
ORDER = ("fail", "warn", "skip", "info", "pass")
FREE = "Make sure that nothing else uses the GPU, then run the active checks again."


def cards(facts: Facts) -> list[Facts]:
    """Every device under test.

    Raises:
        Unread: there is none.
    """
    found = facts.each("active.devices")
    if not found:
        raise Unread("active.devices", "no device was tested")
    return found


def label(card: Facts) -> str:
    """``GPU 0 (NVIDIA H200)``; with its UUID where that was asked for."""
    name = card.text("name")
    if name.startswith("CPU"):
        return name
    uuid = card.maybe_text("uuid")
    return f"GPU {card.count('index')} ({name}{f', {uuid}' if uuid else ''})"


def phases(card: Facts) -> list[Facts]:
    """What the sensors saw in every phase under load.

    Raises:
        Unread: there are no sensors, or they saw no load.
    """
    found = [item for item in card.each("telemetry.phases") if item.text("phase") not in RESTING]
    if not found:
        raise Unread("active.devices.telemetry", "no sample was taken under load")
    return found


def keys(item: Facts, path: str) -> list[str]:
    """Names in a table that a device made up itself, sorted.

    Raises:
        Unread: it is no table of names.
    """
    found = item.value(path)
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise Unread(f"active.devices.{path}", "not a table")
    return sorted(found)


def phase(card: Facts, name: str) -> Optional[Facts]:
    """One phase, None where the sensors did not see it."""
    try:
        return next((item for item in phases(card) if item.text("phase") == name), None)
    except Unread:
        return None


def worst(facts: Facts, judge: Callable[[Facts], Judgement]) -> Judgement:
    """Judge every device; the worst answer is the host's, and it names all that share it.

    A fault found on one device is told although another could not be read.

    Raises:
        Unread: nothing failed, and a device could not be read.
    """
    tried = [attempt(judge, card) for card in cards(facts)]
    answers = [item for item in tried if not isinstance(item, Unread)]
    bad = [item for item in answers if item.status.value in ORDER[:2]]
    if not bad:
        for item in tried:
            if isinstance(item, Unread):
                raise item
    return joined(answers)


def attempt(judge: Callable[[Facts], Answer], card: Facts) -> Union[Answer, Unread]:
    """What a judge says of a device, or what it could not read."""
    try:
        return judge(card)
    except Unread as unread:
        return unread


def joined(answers: Iterable[Judgement]) -> Judgement:
    """Those of the worst status as one answer, their texts one after another."""
    found = list(answers)
    status = min((item.status for item in found), key=lambda item: ORDER.index(item.value))
    same = [item for item in found if item.status is status]
    return Judgement(
        status,
        _texts(item.measured for item in same),
        _texts(item.expected for item in same),
        _texts((item.reason for item in same), " "),
        _texts((item.remedy for item in same), " "),
    )


def _texts(parts: Iterable[str], between: str = "; ") -> str:
    return between.join(dict.fromkeys(part for part in parts if part))
