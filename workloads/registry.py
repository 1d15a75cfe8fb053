"""Find the workloads: every module of this package that defines ``WORKLOAD``."""

from __future__ import annotations

import importlib
import pkgutil

import workloads
from workloads.base import Workload
from workloads.names import pick


def load() -> dict[str, Workload]:
    """All workloads by name, in the order of their names; a new file is a new workload."""
    modules = (
        importlib.import_module(f"workloads.{info.name}")
        for info in pkgutil.iter_modules(workloads.__path__)
        if not info.name.startswith("_") and not info.ispkg
    )
    found = [m.WORKLOAD for m in modules if isinstance(getattr(m, "WORKLOAD", None), Workload)]
    return {workload.name: workload for workload in sorted(found, key=lambda w: w.name)}


def get(name: str) -> Workload:
    """The workload of that name.

    Raises:
        InputError: no such workload; the nearest known one is named.
    """
    return pick("workload", name, load())
