"""The host engine: an interpreter that is there, taken as it is."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Mapping

from core.errors import EngineError
from engines import cmd
from engines.base import Target
from engines.local import ROOT, LocalSession
from engines.pythons import ask

VARIABLE = "TORCHRIG_HOST_PYTHON"
_HAS_TORCH = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"


class HostEngine:
    """Runs the suite in one interpreter; its results are unmanaged.

    Args:
        interpreter: path of Python; by default what TORCHRIG_HOST_PYTHON names, else the
            interpreter that runs this.
    """

    name = "host"
    managed = False

    def __init__(self, interpreter: Path | None = None) -> None:
        named = os.environ.get(VARIABLE)
        self._interpreter = interpreter or Path(named or sys.executable)

    def open(self, target: Target, *, device: str, label: str) -> LocalSession:  # noqa: ARG002
        """Check that the interpreter runs and has torch.

        Raises:
            EngineError: it does not run, or it has no torch.
        """
        found = ask(self._interpreter)
        if found is None or not cmd.run([found.path, "-c", _HAS_TORCH], timeout_s=60).ok:
            raise EngineError(
                f"The host engine cannot use {self._interpreter}.",
                why="It has no torch." if found else "It does not run as a 64-bit CPython.",
                remedy=f"Name an interpreter with torch in {VARIABLE}, or use another engine.",
            )
        identity = {
            "engine": "host",
            "managed": False,
            "interpreter": str(found.path),
            "python": found.full,
            "environment_asked": target.environment,
        }
        return LocalSession(found.path, host_environment(os.environ), identity, private_home=False)


def host_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment with the suite on the path and no environment description."""
    env = {key: value for key, value in environ.items() if key != "TORCHRIG_ENVIRONMENT"}
    inherited = env.get("PYTHONPATH")
    env["PYTHONPATH"] = f"{ROOT}{os.pathsep}{inherited}" if inherited else str(ROOT)
    return {**env, "PYTHONDONTWRITEBYTECODE": "1"}
