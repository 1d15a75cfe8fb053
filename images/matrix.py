"""Which versions go together: the dated table in ``matrix.toml`` and the judgements on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.versions import major_minor
from images import toml
from images.paths import MATRIX
from images.schema import Environment


@dataclass(frozen=True)
class Matrix:
    """``matrix.toml`` as read: by torch version, by toolkit version, by deleted image tag."""

    torch: Mapping[str, Mapping[str, Any]]
    toolkit: Mapping[str, Mapping[str, Any]]
    removed_tags: Mapping[str, Mapping[str, Any]]

    def plain_cuda(self, torch: str) -> str | None:
        """CUDA of the wheel that a plain install of this torch gives, None when not listed."""
        row = self.torch.get(torch)
        return str(row["plain_cuda"]) if row else None


def load_matrix(path: Path = MATRIX) -> Matrix:
    """Read the matrix.

    Raises:
        InputError: not a file, or not TOML.
    """
    data = toml.read(path)
    return Matrix(
        torch=data.get("torch", {}),
        toolkit=data.get("toolkit", {}),
        removed_tags=data.get("removed_tags", {}),
    )


def problems(environment: Environment, matrix: Matrix) -> list[tuple[str, str]]:
    """Everything in a row that cannot be true together, as (field, message)."""
    row = matrix.torch.get(environment.torch)
    if row is None:
        known = ", ".join(matrix.torch)
        found = [
            ("torch", f"{environment.torch} is not in images/matrix.toml, which lists {known}")
        ]
    else:
        found = [
            *_wheel(environment, row),
            *_companions(environment, row),
            *_pythons(environment, row),
            *_torch_archs(environment, row),
        ]
    return [*found, *_toolkit(environment, matrix), *_base(environment, matrix)]


def _wheel(environment: Environment, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    if environment.wheel_cuda in row["wheel_cuda"]:
        return []
    message = (
        f"torch {environment.torch} has no wheel for {_cuda(environment.wheel_cuda)}; it has "
        f"{', '.join(row['wheel_cuda'])}, and a plain install gives {row['plain_cuda']}. "
        "The toolkit of the base image is another field, toolkit_cuda"
    )
    return [("wheel_cuda", message)]


def _companions(environment: Environment, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    given = {"torchvision": environment.torchvision, "torchaudio": environment.torchaudio}
    return [
        (field, f"{version} does not pair with torch {environment.torch}; {row[field]} does")
        for field, version in given.items()
        if version is not None and version != row[field]
    ]


def _pythons(environment: Environment, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    known = row.get("pythons", environment.pythons)
    wrong = [python for python in environment.pythons if python not in known]
    message = (
        f"torch {environment.torch} has no wheels for Python {', '.join(wrong)}; "
        f"it has {', '.join(known)}"
    )
    found = [("pythons", message)] if wrong else []
    if environment.python not in environment.pythons:
        found.append(("python", f"{environment.python} is not one of this row's pythons"))
    return found


def _torch_archs(environment: Environment, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    known = row.get("archs")
    return [
        ("arch_list", f"torch {environment.torch} rejects {arch}; it takes {', '.join(known)}")
        for arch in environment.arch_list
        if known and arch.removesuffix("+PTX") not in known
    ]


def _toolkit(environment: Environment, matrix: Matrix) -> list[tuple[str, str]]:
    row = matrix.toolkit.get(environment.toolkit_cuda)
    if row is None:
        known = ", ".join(matrix.toolkit)
        given = environment.toolkit_cuda
        return [("toolkit_cuda", f"{given} is not in images/matrix.toml, which lists {known}")]
    lowest, highest = row["lowest_arch"], row["highest_arch"]
    reach = f"it reaches from {lowest} to {highest}"
    return [
        ("arch_list", f"nvcc {environment.toolkit_cuda} cannot compile for {arch}; {reach}")
        for arch in environment.arch_list
        if not major_minor(lowest) <= major_minor(arch) <= major_minor(highest)
    ]


def _base(environment: Environment, matrix: Matrix) -> list[tuple[str, str]]:
    found = [
        ("base", f"the publisher deleted {tag}; use {row['instead']} ({row['source']})")
        for tag, row in matrix.removed_tags.items()
        if environment.base.startswith(tag)
    ]
    repository, _, tag = environment.base.rpartition(":")
    if repository != "nvidia/cuda":
        return found
    if not tag.startswith(environment.toolkit_cuda + "."):
        given = environment.toolkit_cuda
        found.append(("toolkit_cuda", f"{given} is not the toolkit of {environment.base}"))
    if "-devel" not in tag:
        found.append(("base", "has no compiler for the kernels; take the tag with -devel"))
    return found


def _cuda(wheel_cuda: str) -> str:
    return wheel_cuda if wheel_cuda == "cpu" else f"CUDA {wheel_cuda}"
