"""`invoke report` writes the page, its plots and, where asked, the rows as CSV."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_report_pages import fine

from core.errors import InputError
from verbs.report import report


def test_everything_lies_beside_report_json(tmp_path: Path) -> None:
    """The page in the language asked for, every plot twice, the rows."""
    run = fine(tmp_path / "run")
    status = report(run, allow_other_device=False, language="zh", csv=tmp_path / "rows.csv")
    kinds = sorted(path.suffix for path in (run / "plots").iterdir())

    assert 0 == status
    assert '<html lang="zh-Hans">' in (run / "report.html").read_text(encoding="utf-8")
    assert (run / "report.md").is_file()
    assert [".png"] * 4 + [".svg"] * 4 == kinds
    assert 7 == len((tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines())


def test_an_unknown_language_writes_nothing(tmp_path: Path) -> None:
    """It is refused before anything is merged."""
    run = fine(tmp_path / "run")

    with pytest.raises(InputError, match="en, zh"):
        report(run, allow_other_device=False, language="fr", csv=None)
    assert not (run / "report.json").exists()
