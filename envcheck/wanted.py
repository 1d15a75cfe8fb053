"""What a machine or an environment is judged against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional

from envcheck.profiles import Profile

DEVICES = ("auto", "cpu", "cuda")
SHARED_MEMORY_BYTES = 2 * 1024**3


@dataclass(frozen=True)
class Wanted:
    """Expectations, none of them read off the machine.

    ``environment`` is environment.json, or None for an unmanaged interpreter. ``environments`` are
    the descriptions that a host is to run (name, toolkit_cuda, wheel_cuda). ``space_bytes`` is
    what the environments need at the engine's data root, None where nobody said.
    """

    device: str = "auto"
    environment: Optional[Mapping[str, Any]] = None
    environments: tuple[Mapping[str, Any], ...] = ()
    space_bytes: Optional[int] = None
    shared_memory_bytes: int = SHARED_MEMORY_BYTES
    profile: Profile = field(default_factory=Profile)

    def expected(self, key: str) -> Optional[str]:
        """A text of environment.json, None where there is no such environment or field."""
        found = (self.environment or {}).get(key)
        return found if isinstance(found, str) and found else None

    @property
    def wants_gpu(self) -> bool:
        """Whether a machine without a usable GPU is a failure."""
        return self.device == "cuda" or (self.profile.gpu and self.device != "cpu")
