"""The page lists every check as the code has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from envcheck import catalogue, profiles
from envcheck.checks import registry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "envcheck.md"


def test_the_page_is_fresh() -> None:
    """docs/envcheck.md ends with what the code says of its checks."""
    assert PAGE.read_text(encoding="utf-8").endswith(catalogue.markdown())


@pytest.mark.parametrize("item", registry.load(), ids=lambda item: item.id)
def test_a_check_says_what_it_looks_at(item: registry.Check) -> None:
    """Title, reason and object are there; causes are known and come before."""
    ids = [other.id for other in registry.load()]

    assert item.title
    assert item.looks_at
    assert item.why.endswith(".")
    for cause in item.after:
        assert ids.index(cause) < ids.index(item.id)


@pytest.mark.parametrize("name", profiles.names())
def test_a_profile_gives_the_source_of_every_value(name: str) -> None:
    """Each expected value carries a source and a date."""
    profile = profiles.load(name)

    assert profile.title
    for value in profile.card.values():
        assert value.source
        assert value.date


def test_the_two_4090s_share_no_identity() -> None:
    """A 4090 D's profile never fits a 4090."""
    assert profiles.fitting(["10de:2685"]).name == "rtx4090d"
    assert profiles.fitting(["10de:2684"]).name == "rtx4090"
    assert profiles.fitting(["10de:ffff"]).name == "generic"
    assert profiles.fitting([]).name == "cpu"
