"""What is installed against what was locked and what belongs together."""

from __future__ import annotations

import re
from typing import Optional

from core import versions
from envcheck.checks.judgement import Judgement, failed, passed, skipped
from envcheck.checks.registry import ENVIRONMENT, check
from envcheck.reading import Facts
from envcheck.wanted import Wanted

SHOWN = 6
REBUILD = "Build the environment again from its lock: `invoke build --env {name}`."
PAIR = "Install the exact pair: {pair}."
# torch: (torchvision, torchaudio or empty where no pair was tried), as resolved or installed here
PAIRS = {"1.13.1": ("0.14.1", ""), "2.0.1": ("0.15.2", ""), "2.8.0": ("0.23.0", "2.8.0")}
PAIR_SOURCE = "https://github.com/pytorch/vision/issues/8985"


@check(
    "environment.lock",
    title="Lock against installed",
    scope=ENVIRONMENT,
    looks_at="every pinned name of the lock, versions from package metadata",
    why="An environment that is not its lock measures something else.",
    needs=("packages",),
    remedies=(REBUILD,),
    demanded=True,
)
def lock(facts: Facts, wanted: Wanted) -> Judgement:
    """Every pinned package is installed in its pinned version."""
    if wanted.environment is None:
        return skipped("unmanaged: there is no lock")
    pins = Facts(wanted.environment, "environment").table("lock")
    if not pins:
        return skipped("the environment's lock is empty")
    installed = facts.table("packages")
    wrong = [
        f"{name} {installed.get(_name(name), 'absent')} (locked {version})"
        for name, version in sorted(pins.items())
        if not _same(installed.get(_name(name)), version)
    ]
    expected = f"{len(pins)} pinned packages"
    if wrong:
        more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
        remedy = REBUILD.format(name=wanted.expected("name") or "NAME")
        measured = f"{len(wrong)} of {len(pins)} differ"
        return failed(measured, expected, "; ".join(wrong[:SHOWN]) + more + ".", remedy)
    return passed(f"all {len(pins)} as locked", expected)


def _name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _same(installed: Optional[str], pinned: str) -> bool:
    if installed is None:
        return False
    if versions.local_tag(pinned):
        return installed == pinned
    return installed.partition("+")[0] == pinned


@check(
    "torch.pairing",
    title="torchvision and torchaudio pairing",
    scope=ENVIRONMENT,
    looks_at="versions of torch, torchvision, torchaudio and their CUDA suffixes, from metadata",
    why="A torchvision for another torch fails only when an operator is called.",
    needs=("packages",),
    remedies=(PAIR,),
    source=PAIR_SOURCE,
    demanded=True,
)
def pairing(facts: Facts, wanted: Wanted) -> Judgement:
    """The table's versions, else the known pair; the same CUDA suffix."""
    installed = facts.table("packages")
    torch = installed.get("torch")
    vision, audio = installed.get("torchvision"), installed.get("torchaudio")
    if torch is None:
        return skipped("torch is not installed")
    if vision is None and audio is None and not wanted.expected("torchvision"):
        return skipped("neither torchvision nor torchaudio is installed")
    pair = _pair(torch, wanted)
    if pair is None:
        return skipped(f"the pair of torch {torch} is not known to this tool")
    measured = ", ".join(
        f"{name} {found}"
        for name, found in (("torch", torch), ("torchvision", vision), ("torchaudio", audio))
        if found
    )
    expected = f"torchvision {pair[0]}, torchaudio {pair[1] or 'any or none'}"
    wrong = _pair_faults(torch, vision, audio, pair)
    if wrong:
        exact = f"torch=={torch}, torchvision=={pair[0]}"
        exact += f", torchaudio=={pair[1]}" if pair[1] and audio else ""
        return failed(measured, expected, f"{'; '.join(wrong)}.", PAIR.format(pair=exact))
    return passed(measured, expected)


def _pair(torch: str, wanted: Wanted) -> Optional[tuple[str, str]]:
    if wanted.expected("torch") == torch.partition("+")[0] and wanted.expected("torchvision"):
        return wanted.expected("torchvision") or "", wanted.expected("torchaudio") or ""
    return PAIRS.get(torch.partition("+")[0])


def _pair_faults(
    torch: str, vision: Optional[str], audio: Optional[str], pair: tuple[str, str]
) -> list[str]:
    wrong = []
    for name, found, needed in (("torchvision", vision, pair[0]), ("torchaudio", audio, pair[1])):
        if found and needed and found.partition("+")[0] != needed:
            wrong.append(f"{name} {found} belongs to another torch")
        tags = (versions.local_tag(torch), versions.local_tag(found or ""))
        if all(tags) and tags[0] != tags[1]:
            wrong.append(f"{name} is for {tags[1]}, torch for {tags[0]}")
    return wrong


@check(
    "torch.setuptools",
    title="setuptools against torch",
    scope=ENVIRONMENT,
    looks_at="whether this torch's cpp_extension imports pkg_resources, and whether it is there",
    why="setuptools 82 removed pkg_resources, which torch 1.13 imports to build extensions.",
    needs=("torch.pkg_resources_needed", "python.pkg_resources"),
    remedies=('Install "setuptools<81" in this environment.',),
    source="https://github.com/geopavlakos/hamer/issues/139",
    after=("torch.import",),
)
def setuptools(facts: Facts, wanted: Wanted) -> Judgement:
    """What torch imports is there."""
    del wanted
    needed, there = facts.flag("torch.pkg_resources_needed"), facts.flag("python.pkg_resources")
    found = facts.table("packages").get("setuptools", "none") if facts.was_read("packages") else "?"
    measured = f"setuptools {found}"
    if needed and not there:
        return failed(
            measured,
            "setuptools < 81",
            "This torch's cpp_extension imports pkg_resources, which is not there.",
            'Install "setuptools<81" in this environment.',
        )
    return passed(measured, "setuptools < 81" if needed else "any")
