"""The table, its locks and what is rendered from it are judged together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BuildError
from images.config import load_table
from images.paths import TABLE
from images.validate import refuse_stale_files, validate


def test_what_is_committed_belongs_together():
    """Nothing to lock, nothing to render."""
    assert load_table() == validate()


def test_a_table_elsewhere_is_judged_by_itself(tmp_path: Path):
    """It has no locks here to be compared with."""
    path = tmp_path / "environments.toml"
    path.write_text(TABLE.read_text(encoding="utf-8").replace("numpy<2", "numpy<1.26"), "utf-8")

    assert ("numpy<1.26", "setuptools<81") == validate(path).environments[1].requirements


@pytest.mark.parametrize(
    ("field", "value", "remedy"),
    [("requirements", ("numpy<2.1",), "invoke lock"), ("title", "Other", "invoke render")],
)
def test_what_was_left_behind_is_named(field: str, value: object, remedy: str):
    """With the command that mends it."""
    table = load_table()
    first, *others = table.environments
    with pytest.raises(BuildError) as caught:
        refuse_stale_files(
            replace(table, environments=(first.model_copy(update={field: value}), *others))
        )

    assert remedy in caught.value.remedy
    assert "images/locks/torch28-cuda124/py3.10" in caught.value.why
