"""Lock files: where they are, what they promise, and whether they still fit the table.

Nothing here needs a network. A lock begins with the hash of everything it was resolved from, so
a table that has moved on is noticed by comparing two strings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from core.errors import BuildError
from core.hashing import text_hash
from core.versions import release
from images.config import Table
from images.matrix import Matrix, load_matrix
from images.paths import LOCKS
from images.schema import Environment

PLATFORM = "x86_64-manylinux_2_28"
COMMON = ("numpy", "setuptools", "ninja", "packaging", "nvidia-ml-py")
UV = "uv==0.9.30"

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)
_INPUTS = re.compile(r"^# inputs: sha256:([0-9a-f]{64})$", re.MULTILINE)


@dataclass(frozen=True)
class StaleLock:
    """A lock that does not belong to the table any more, and why."""

    path: Path
    reason: str


def lock_path(environment: str, python: str, root: Path = LOCKS) -> Path:
    """Where the lock for one environment and one Python version is kept."""
    return root / environment / f"py{python}.txt"


def requirement_lines(environment: Environment, python: str, matrix: Matrix) -> list[str]:
    """What a lock is resolved from, one requirement a line, for one Python version."""
    local = _local_version(environment, matrix)
    pinned = [
        f"{package}=={version}{local}"
        for package, version in (
            ("torch", environment.torch),
            ("torchvision", environment.torchvision),
            ("torchaudio", environment.torchaudio),
        )
        if version is not None
    ]
    tomli = ["tomli"] if release(python) < (3, 11) else []
    return [*pinned, *COMMON, *tomli, *environment.requirements]


def input_hash(lines: list[str], python: str) -> str:
    """SHA-256 of a lock's inputs: its requirements, the Python version and the platform."""
    return text_hash("\n".join([PLATFORM, python, *lines]))


def header(title: str, digest: str) -> str:
    """The comment a lock begins with."""
    return f"# {title}, x86-64 Linux with glibc 2.28 or newer.\n# inputs: sha256:{digest}\n"


def read_lock(path: Path) -> dict[str, str]:
    """Normalised package names and their versions.

    Raises:
        BuildError: there is no such lock.
    """
    return {_normalised(name): version for name, version in _PIN.findall(lock_text(path))}


def lock_text(path: Path) -> str:
    """A lock's content.

    Raises:
        BuildError: there is no such lock.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BuildError(
            f"There is no lock at {path}.",
            remedy="Write it with `invoke lock`, which needs a package index.",
        ) from error


def stale_locks(
    table: Table, root: Path = LOCKS, matrix: Matrix | None = None
) -> tuple[StaleLock, ...]:
    """Every lock that is missing, was made from other inputs, or belongs to no row."""
    judged_by = matrix or load_matrix()
    expected = {
        lock_path(environment.name, python, root): input_hash(
            requirement_lines(environment, python, judged_by), python
        )
        for environment in table.environments
        for python in environment.pythons
    }
    found = [(path, _fault(path, digest)) for path, digest in expected.items()]
    found += [
        (path, "belongs to no row of the table")
        for path in sorted(root.glob("*/py*.txt"))
        if path not in expected
    ]
    return tuple(StaleLock(path, reason) for path, reason in found if reason)


def refuse_stale(table: Table, environment: str, root: Path = LOCKS) -> None:
    """Stop before anything is built from a lock that the table has left behind.

    Raises:
        BuildError: names every such lock of this environment.
    """
    stale = [lock for lock in stale_locks(table, root) if lock.path.parent.name == environment]
    if stale:
        raise BuildError(
            f"The locks of {environment} do not fit the table.",
            why="; ".join(f"{lock.path.name} {lock.reason}" for lock in stale) + ".",
            remedy="Write them again with `invoke lock`.",
        )


def wheel_tag(wheel_cuda: str) -> str:
    """``"12.8"`` gives ``"cu128"``, ``"cpu"`` stays."""
    return wheel_cuda if wheel_cuda == "cpu" else f"cu{wheel_cuda.replace('.', '')}"


def _fault(path: Path, digest: str) -> str:
    if not path.is_file():
        return "is missing"
    written = _INPUTS.search(path.read_text(encoding="utf-8"))
    return "" if written and written.group(1) == digest else "was resolved from other inputs"


def _local_version(environment: Environment, matrix: Matrix) -> str:
    plain = matrix.plain_cuda(environment.torch) == environment.wheel_cuda
    return "" if plain else f"+{wheel_tag(environment.wheel_cuda)}"


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
