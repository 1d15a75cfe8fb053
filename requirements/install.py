"""Set up the host side in ``.venv`` from a hash-locked list, with python3 alone.

    python3 requirements/install.py host|dev

``host.txt`` is what the tasks need, ``dev.txt`` adds what the tests and linters need. Nothing is
done when the environment already matches its lock. Package index, proxy and certificate variables
reach pip as they are. Standard library only; old Pythons must be able to read this far.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 10)
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "torchrig.lock-hash"


def main(arguments: list[str]) -> int:
    """Set up the named list; exit status 0, or 1 with one paragraph on stderr."""
    if arguments not in (["host"], ["dev"]):
        return _stop("Name what to set up: host or dev.")
    problem = python_problem(sys.version_info[:2], has_ensurepip=_has_ensurepip())
    if problem:
        return _stop(problem)
    lock = ROOT / "requirements" / f"{arguments[0]}.txt"
    return 0 if is_current(lock) else install(lock)


def python_problem(version: tuple[int, int], *, has_ensurepip: bool) -> str:
    """Why this Python cannot make the environment, with the command that helps; empty if it can."""
    name = f"{version[0]}.{version[1]}"
    if version < OLDEST:
        return (
            f"This is Python {name}; the host side needs {OLDEST[0]}.{OLDEST[1]} or newer. "
            "Install one and name it: make run PYTHON=python3.12"
        )
    if not has_ensurepip:
        return (
            f"This Python {name} has no ensurepip, which Debian and Ubuntu ship apart. "
            f"Install it, then run the same command again: "
            f"sudo apt-get update && sudo apt-get install -y python{name}-venv"
        )
    return ""


def is_current(lock: Path) -> bool:
    """Whether ``.venv`` was last set up from this lock, or from the dev list that contains it."""
    wanted = {_hash(lock), _hash(lock.with_name("dev.txt"))}
    return STAMP.is_file() and STAMP.read_text(encoding="utf-8") in wanted


def install(lock: Path) -> int:
    """Make ``.venv`` if needed and install the lock into it; a broken one is made anew."""
    print(f"Setting up {VENV.name} from {lock.relative_to(ROOT)} ...", file=sys.stderr)
    python = VENV / "bin" / "python"
    STAMP.unlink(missing_ok=True)
    if not _works(python):
        made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False)
        if made.returncode:
            return _stop(f"{VENV.name} could not be made. Check that this folder can be written.")
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*command, "--require-hashes", "-r", str(lock)], check=False)
    if done.returncode:
        return _stop(
            "pip could not install the locked packages; its own message stands above. Behind a "
            "mirror set PIP_INDEX_URL, behind a proxy HTTPS_PROXY, behind a proxy that inspects "
            "TLS also PIP_CERT=/path/to/ca.pem; then run the same command again."
        )
    STAMP.write_text(_hash(lock), encoding="utf-8")
    return 0


def _works(python: Path) -> bool:
    """Whether this interpreter exists and has pip: a moved or half-made folder does not."""
    try:
        probe = subprocess.run(
            [str(python), "-m", "pip", "--version"], capture_output=True, check=False
        )
    except OSError:
        return False
    return probe.returncode == 0


def _has_ensurepip() -> bool:
    return importlib.util.find_spec("ensurepip") is not None


def _hash(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()


def _stop(message: str) -> int:
    print(f"torchrig: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
