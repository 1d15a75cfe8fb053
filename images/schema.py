"""The table's fields and what each may hold.

Every pattern is narrow on purpose: these values reach a Dockerfile, a shell and a resolver, so
none may hold a quote, a newline, a dollar sign or an option.
"""

from __future__ import annotations

import re
from typing import Annotated, Optional

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StringConstraints

_VERSION = r"\d+(?:\.\d+){0,3}"
_SPECIFIER = r"(?:==|!=|<=|>=|~=|<|>)[A-Za-z0-9][A-Za-z0-9.*+!_-]*"

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[._-][a-z0-9]+)*$", max_length=64)]
Title = Annotated[
    str, StringConstraints(pattern=r"^\w[\w .,:/()+-]*$", min_length=1, max_length=80)
]
Version = Annotated[str, StringConstraints(pattern=rf"^{_VERSION}$")]
MajorMinor = Annotated[str, StringConstraints(pattern=r"^\d{1,2}\.\d{1,2}$")]
WheelCuda = Annotated[str, StringConstraints(pattern=r"^(?:\d{1,2}\.\d|cpu)$")]
Arch = Annotated[str, StringConstraints(pattern=r"^\d{1,2}\.\d[a-z]?(?:\+PTX)?$")]
Requirement = Annotated[
    str,
    StringConstraints(
        pattern=rf"^[A-Za-z0-9][A-Za-z0-9._-]*(?:{_SPECIFIER}(?:,{_SPECIFIER})*)?$",
        max_length=120,
    ),
]
_IMAGE = re.compile(
    r"[a-z0-9][a-z0-9.-]*(?::\d{1,5}(?=/))?(?:/?[a-z0-9._-]+)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)
MEANINGS = {
    "name": "lower-case letters and digits, joined by single '.', '_' or '-'",
    "title": "letters, digits, spaces and . , : / ( ) + - only, at most 80",
    "base": "an image reference such as nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04",
    "toolkit_cuda": "a CUDA version such as 12.4",
    "wheel_cuda": "a CUDA version such as 12.8, or cpu",
    "torch": "a version such as 2.8.0",
    "torchvision": "a version such as 0.23.0",
    "torchaudio": "a version such as 2.8.0",
    "python": "a Python version such as 3.10",
    "pythons": "Python versions such as 3.10",
    "arch_list": "GPU architectures such as 8.6 or 9.0+PTX",
    "requirements": "a package with versions, such as numpy<2; no options, no addresses",
}


def is_image_reference(text: str) -> bool:
    """Whether a text is an image reference, tag and digest included, and nothing else."""
    return len(text) <= 255 and _IMAGE.fullmatch(text) is not None


def _checked_image(text: str) -> str:
    if not is_image_reference(text):
        raise ValueError("not an image reference")
    return text


Image = Annotated[str, AfterValidator(_checked_image)]


class Environment(BaseModel):
    """One row of the table: what an environment is made of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    title: Title
    base: Image
    toolkit_cuda: MajorMinor
    wheel_cuda: WheelCuda
    torch: Version
    torchvision: Version
    torchaudio: Optional[Version] = None
    python: MajorMinor = "3.10"
    pythons: Annotated[tuple[MajorMinor, ...], Field(min_length=1)]
    arch_list: Annotated[tuple[Arch, ...], Field(min_length=1)]
    requirements: tuple[Requirement, ...] = ()
    default: StrictBool = True

    @property
    def tag(self) -> str:
        """The image that a passing build is tagged with: ``torchrig/NAME:2.8.0-cu124``."""
        return f"torchrig/{self.name}:{self.torch}-cu{self.toolkit_cuda.replace('.', '')}"

    @property
    def latest(self) -> str:
        """The second tag of the same image."""
        return f"torchrig/{self.name}:latest"
