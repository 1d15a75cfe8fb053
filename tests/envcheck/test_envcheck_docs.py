"""The page lists every check as the code has it."""

from __future__ import annotations

import pytest

from envcheck import catalogue, profiles
from envcheck.checks import registry


def test_the_page_is_fresh() -> None:
    """Fields, severities, profiles and checks in docs/envcheck.md are what the code says."""
    page = catalogue.PAGE.read_text(encoding="utf-8")

    assert page == catalogue.refreshed(page)


@pytest.mark.parametrize("name", list(catalogue.BLOCKS))
def test_a_page_without_a_part_is_noticed(name: str) -> None:
    """A part that was cut out by hand is not passed over."""
    page = catalogue.PAGE.read_text(encoding="utf-8")

    with pytest.raises(ValueError, match=name):
        catalogue.refreshed(page.replace(catalogue.BEGIN.format(name=name), ""))


@pytest.mark.parametrize("item", registry.load(), ids=lambda item: item.id)
def test_a_check_says_what_it_looks_at(item: registry.Check) -> None:
    """Title, reason and object are there; causes are known and come before."""
    ids = [other.id for other in registry.load()]

    assert item.title
    assert item.looks_at
    assert item.why.endswith(".")
    assert item.severity in registry.SEVERITIES
    if item.severity != registry.MINOR:
        assert item.remedies
    for cause in item.after:
        assert ids.index(cause) < ids.index(item.id)


@pytest.mark.parametrize("name", profiles.names())
def test_a_profile_gives_the_source_of_every_value(name: str) -> None:
    """Each expected value carries a source and a date."""
    profile = profiles.load(name)

    assert profile.title
    assert bool(profile.pci_ids) == bool(profile.pci_source) == bool(profile.pci_date)
    for value in (*profile.card.values(), *profile.active.values()):
        assert value.source
        assert value.date


@pytest.mark.parametrize("name", ["rtx4090", "rtx4090d"])
def test_what_nobody_measured_on_the_card_is_marked(name: str) -> None:
    """No 4090 of either kind was at hand: every number is unverified."""
    profile = profiles.load(name)

    assert profile.card
    assert all(value.unverified for value in (*profile.card.values(), *profile.active.values()))


def test_the_two_4090s_share_no_identity() -> None:
    """A 4090 D's profile never fits a 4090."""
    assert profiles.fitting(["10de:2685"]).name == "rtx4090d"
    assert profiles.fitting(["10de:2684"]).name == "rtx4090"
    assert profiles.fitting(["10de:ffff"]).name == "generic"
    assert profiles.fitting([]).name == "cpu"
