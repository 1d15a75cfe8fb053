"""Build the compiled operators: plan, compile in a private folder, put in place in one step.

torch's own builder is not used: it needs ninja on the path and a setuptools that suits its
version, waits for ever on a stale lock, and keys its cache without the version of torch.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

from core import jsonio
from core.errors import BuildError
from kernels import store
from kernels.plan import BuildPlan, Facts, plan_build
from kernels.recipe import (
    LIBRARY,
    Step,
    compile_steps,
    cxx_standard,
    link_command,
    source_hash,
)
from kernels.toolchain import extension_builder_text, gather, import_torch, torch_folder

_STEP_TIMEOUT_S = 1800
_TAIL_LINES = 15


@dataclass(frozen=True)
class Built:
    """A library on disk. ``fresh`` is False where an up-to-date one was found."""

    folder: Path
    record: store.Record
    fresh: bool

    @property
    def library(self) -> Path:
        """The shared library."""
        return self.folder / LIBRARY


def build(
    out: Optional[Path] = None,
    *,
    mode: str = "auto",
    force: bool = False,
    facts: Optional[Facts] = None,
) -> Built:
    """Build for this environment, or find that it has been done.

    ``out`` is the folder that holds builds (``store.default_root`` by default); ``mode`` is
    ``auto``, ``require`` or ``off`` for the CUDA sources.

    Raises:
        ExtensionUnavailable: no compiler, or CUDA code is required and cannot be compiled.
        BuildError: a compiler failed, or the folder cannot be written.
    """
    facts = gather() if facts is None else facts
    plan = plan_build(facts, mode)
    root = store.default_root() if out is None else out
    folder = root / store.planned_key(facts, plan, source_hash())
    found = None if force else _existing(folder)
    return found or _build_into(folder, facts, plan)


def _existing(folder: Path) -> Optional[Built]:
    for path, record in store.records(folder.parent):
        if path == folder and store.is_whole(path, record):
            return Built(path, record, fresh=False)
    return None


def _build_into(folder: Path, facts: Facts, plan: BuildPlan) -> Built:
    started = time.perf_counter()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        private = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".building-"))
    except OSError as error:
        raise BuildError(
            f"{folder.parent} cannot be written.",
            why=f"{error}.",
            remedy="Name another folder with --out or in $TORCHRIG_KERNELS.",
        ) from error
    try:
        result = private / folder.name
        standard = cxx_standard(extension_builder_text(torch_folder(import_torch())))
        library = _compile(private, result, facts, plan, standard)
        record = _record(facts, plan, standard, library, time.perf_counter() - started)
        jsonio.write(result / store.RECORD, record.to_dict())
        _put_in_place(result, folder, private / "replaced")
    finally:
        shutil.rmtree(private, ignore_errors=True)
    return Built(folder, record, fresh=True)


def _compile(private: Path, result: Path, facts: Facts, plan: BuildPlan, standard: str) -> Path:
    torch_root = torch_folder(import_torch())
    result.mkdir()
    steps = compile_steps(facts, plan, torch_root, standard, private)
    with ThreadPoolExecutor(max_workers=min(len(steps), os.cpu_count() or 1)) as pool:
        list(pool.map(_run_step, steps))
    library = result / LIBRARY
    objects = [step.target for step in steps]
    _run(link_command(facts, plan, torch_root, objects, library), "linking")
    return library


def _run_step(step: Step) -> None:
    _run(step.argv, f"compiling {step.source}")


def _run(argv: Sequence[str], what: str) -> None:
    try:
        done = subprocess.run(
            list(argv),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=_STEP_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _failure(what, f"{error}.", argv) from error
    if done.returncode:
        lines = done.stdout.decode("utf-8", "replace").splitlines()
        errors = [line for line in lines if "error" in line] or lines
        tail = "\n".join(errors[:_TAIL_LINES])
        raise _failure(what, f"{argv[0]} ended with {done.returncode}:\n{tail}", argv)


def _failure(what: str, why: str, argv: Sequence[str]) -> BuildError:
    remedy = f"Run the command by itself to see all of its output: {' '.join(argv)}"
    return BuildError(f"Building the compiled operators failed at {what}.", why=why, remedy=remedy)


def _record(
    facts: Facts, plan: BuildPlan, standard: str, library: Path, seconds: float
) -> store.Record:
    assert facts.cxx is not None
    return store.Record(
        key=store.planned_key(facts, plan, source_hash()),
        identity=store.identity_of(facts, source_hash()),
        cuda=plan.cuda,
        nvcc=facts.nvcc,
        nvcc_path=facts.nvcc_path,
        nvcc_gcc=plan.nvcc_gcc,
        cxx=f"{facts.cxx.path} {facts.cxx.version}",
        standard=standard,
        arch_list=plan.arch_list,
        reason=plan.reason,
        remedy=plan.remedy,
        notes=plan.notes,
        seconds=round(seconds, 2),
        library_sha256=store.file_hash(library),
    )


def _put_in_place(result: Path, folder: Path, replaced: Path) -> None:
    """Rename the finished folder to its place; what lies there is moved out of the way first."""
    if folder.exists():
        folder.rename(replaced)
    try:
        result.rename(folder)
    except OSError as error:
        if _existing(folder) is None:  # another process may have finished the same build
            raise BuildError(
                f"{folder} cannot be put in place.",
                why=f"{error}.",
                remedy="Remove it and build again.",
            ) from error
