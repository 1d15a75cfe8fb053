"""The house: which room may import what (the table of docs/design.md)."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "core": set(),
    "envcheck": {"core"},
    "kernels": {"core"},
    "workloads": {"core", "kernels"},
    "engines": {"core"},
    "images": {"core", "engines", "envcheck"},
    "runs": {"core", "engines", "images", "workloads"},
    "report": {"core"},
}
MAY_IMPORT["verbs"] = set(MAY_IMPORT)
TRAVELLERS = ("core", "envcheck", "kernels", "workloads")
IN_ENVIRONMENTS = {
    "torch",
    "torchvision",
    "torchaudio",
    "triton",
    "numpy",
    "packaging",
    "pynvml",
    "tomli",
}
HOST_SIDE = {
    "invoke", "jinja2", "docker", "packaging", "pynvml", "rich", "pydantic", "numpy", "scipy",
    "requests", "urllib3", "tomli", "pydantic_core",
    "matplotlib",
}  # fmt: skip


def imports(path: Path) -> dict[str, int]:
    """Top-level names that a file imports, anywhere in it, with one line each."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update((alias.name.split(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found[node.module.split(".")[0]] = node.lineno
    return found


def module_level_imports(path: Path) -> set[str]:
    """Names imported when the file is imported: not those inside functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bodies = [node for node in tree.body if not isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    found = set()
    for body in bodies:
        if isinstance(body, ast.If) and "TYPE_CHECKING" in ast.unparse(body.test):
            continue
        for node in ast.walk(body):
            if isinstance(node, ast.Import):
                found.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return found


def sources(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def faults(room: str, files: list[Path]) -> list[str]:
    third_party = IN_ENVIRONMENTS if room in TRAVELLERS else HOST_SIDE
    allowed = MAY_IMPORT[room] | {room} | third_party | set(sys.stdlib_module_names)
    return [
        f"{path.name}:{line} imports {name}"
        for path in files
        for name, line in imports(path).items()
        if name not in allowed
    ]


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_the_table_allows(room: str) -> None:
    """The table of the design page holds for every file of the room."""
    assert sources(room), f"{room}/ holds no Python"
    assert [] == faults(room, sources(room))


@pytest.mark.parametrize("room", TRAVELLERS)
def test_rooms_that_travel_import_no_torch_at_module_level(room: str) -> None:
    """The host side has no torch, yet lists workloads and checks by importing these rooms."""
    heavy = IN_ENVIRONMENTS - {"packaging", "pynvml", "tomli"}
    offenders = [
        str(path.relative_to(ROOT)) for path in sources(room) if module_level_imports(path) & heavy
    ]

    assert [] == offenders


def test_a_forbidden_import_is_found(tmp_path: Path) -> None:
    """The guard sees imports inside functions too."""
    bad = tmp_path / "bad.py"
    bad.write_text("def f() -> None:\n    from engines import cmd\n    import rich\n")

    assert ["bad.py:2 imports engines", "bad.py:3 imports rich"] == faults("core", [bad])
