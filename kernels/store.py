"""Where built libraries lie, how they are named, and which one belongs to this environment.

A library's folder is named after everything that it depends on, so that no environment takes
another's, and ``build.json`` beside it repeats this with the library's own hash.
"""

from __future__ import annotations

import hashlib
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional

from core import jsonio
from core.errors import ResultError
from kernels.plan import BuildPlan, Facts
from kernels.recipe import HERE, LIBRARY

SCHEMA = 1
RECORD = "build.json"


@dataclass(frozen=True)
class Identity:
    """What a library must share with the process that loads it."""

    torch: str
    torch_cuda: Optional[str]
    cxx11_abi: bool
    machine: str
    source_hash: str


@dataclass(frozen=True)
class Record:
    """``build.json``: one finished build. ``seconds`` is its wall-clock time."""

    key: str
    identity: Identity
    cuda: bool
    nvcc: Optional[str]
    nvcc_path: str
    nvcc_gcc: str
    cxx: str
    standard: str
    arch_list: tuple[str, ...]
    reason: str
    remedy: str
    notes: tuple[str, ...]
    seconds: float
    library_sha256: str
    schema: int = SCHEMA

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Any) -> Record:
        """Read back what ``to_dict`` wrote.

        Raises:
            ResultError: another schema, a missing field, or no record at all.
        """
        try:
            if data["schema"] != SCHEMA:
                raise ValueError(f"schema {data['schema']!r} is not {SCHEMA}")
            return cls(
                **{
                    **data,
                    "identity": Identity(**data["identity"]),
                    "arch_list": tuple(data["arch_list"]),
                    "notes": tuple(data["notes"]),
                }
            )
        except (TypeError, KeyError, ValueError) as error:
            raise ResultError(
                f"A {RECORD} cannot be read.",
                why=f"{type(error).__name__}: {error}.",
                remedy="Run `python -m kernels build --force`.",
            ) from error


def identity_of(facts: Facts, source_hash: str) -> Identity:
    """The identity of a library built from these facts."""
    return Identity(facts.torch, facts.torch_cuda, facts.cxx11_abi, platform.machine(), source_hash)


def key_of(identity: Identity, nvcc: Optional[str], arch_list: tuple[str, ...]) -> str:
    """The folder's name: torch, CUDA of wheel and toolkit, ABI, machine, architectures, source."""
    code = f"nvcc{nvcc}-sm{'_'.join(arch_list)}" if arch_list else "cpu"
    return "-".join(
        (
            f"torch{identity.torch}",
            f"cuda{identity.torch_cuda or 'none'}",
            f"abi{int(identity.cxx11_abi)}",
            identity.machine,
            code,
            identity.source_hash[:16],
        )
    )


def planned_key(facts: Facts, plan: BuildPlan, source_hash: str) -> str:
    """The name of the folder that this plan will make."""
    return key_of(identity_of(facts, source_hash), facts.nvcc, plan.arch_list)


def roots(environ: Optional[Mapping[str, str]] = None) -> tuple[Path, ...]:
    """Folders that may hold builds: ``$TORCHRIG_KERNELS`` alone where it is set.

    Otherwise ``_build`` beside this package, then the user's cache.
    """
    env = os.environ if environ is None else environ
    if env.get("TORCHRIG_KERNELS"):
        return (Path(env["TORCHRIG_KERNELS"]),)
    cache = Path(env.get("XDG_CACHE_HOME") or Path(env.get("HOME", "/tmp")) / ".cache")  # noqa: S108 - of last resort
    return (HERE / "_build", cache / "torchrig" / "kernels")


def default_root(environ: Optional[Mapping[str, str]] = None) -> Path:
    """The first of ``roots`` that can be written, or the last."""
    candidates = roots(environ)
    return next((root for root in candidates if _writable(root)), candidates[-1])


def records(root: Path) -> Iterator[tuple[Path, Record]]:
    """Every readable build below ``root`` whose folder bears the name that its record gives it."""
    for path in sorted(root.glob(f"*/{RECORD}")):
        try:
            record = Record.from_dict(jsonio.read(path))
        except ResultError:
            continue
        key = key_of(record.identity, record.nvcc, record.arch_list)
        if record.key == key == path.parent.name:
            yield path.parent, record


def is_whole(folder: Path, record: Record) -> bool:
    """Whether the library is there and is the one that was recorded."""
    library = folder / LIBRARY
    return library.is_file() and file_hash(library) == record.library_sha256


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _writable(root: Path) -> bool:
    existing = next(path for path in (root, *root.parents) if path.exists())
    return os.access(existing, os.W_OK)
