from __future__ import annotations

import os
from pathlib import Path

from core.hashing import tree_hash


def make_tree(root: Path) -> None:
    (root / "core").mkdir(parents=True)
    (root / "core" / "a.py").write_text("a = 1\n")


def test_copy_and_touch_keep_the_hash(tmp_path: Path) -> None:
    """The hash is of names and contents: a copy inside an image must give the same."""
    make_tree(tmp_path / "one")
    make_tree(tmp_path / "two")
    os.utime(tmp_path / "two" / "core" / "a.py", (1, 1))
    (tmp_path / "two" / "core" / "__pycache__").mkdir()
    (tmp_path / "two" / "core" / "__pycache__" / "a.pyc").write_bytes(b"x")

    assert tree_hash(tmp_path / "one", ["core"]) == tree_hash(tmp_path / "two", ["core"])


def test_content_and_name_change_the_hash(tmp_path: Path) -> None:
    """One character, or one rename, is another code."""
    make_tree(tmp_path)
    before = tree_hash(tmp_path, ["core"])
    (tmp_path / "core" / "a.py").write_text("a = 2\n")
    edited = tree_hash(tmp_path, ["core"])
    (tmp_path / "core" / "a.py").rename(tmp_path / "core" / "b.py")

    assert 3 == len({before, edited, tree_hash(tmp_path, ["core"])})
