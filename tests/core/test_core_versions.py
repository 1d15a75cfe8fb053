from __future__ import annotations

import pytest

from core import versions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.8.0+cu128", (2, 8, 0)),
        ("1.13.1", (1, 13, 1)),
        ("v0.14.1", (0, 14, 1)),
        ("2.9.0.dev20250801", (2, 9, 0)),
        (" 550.54.14 ", (550, 54, 14)),
    ],
)
def test_release_takes_the_leading_numbers(text: str, expected: tuple[int, ...]) -> None:
    """Local parts, prefixes and development suffixes are no part of a release."""
    assert expected == versions.release(text)


def test_a_driver_patch_level_counts() -> None:
    """570.124.04 and 570.124.06 are two drivers (the module and the library must be the same)."""
    assert not versions.same_version("570.124.04", "570.124.06")


@pytest.mark.parametrize(("left", "right"), [("2.8", "2.8.0+cu128"), ("12.4.0", "12.4")])
def test_trailing_zeros_and_local_parts_do_not_count(left: str, right: str) -> None:
    """2.8 means 2.8.0, whatever it was built for."""
    assert versions.same_version(left, right)


def test_text_without_number_is_refused() -> None:
    """A version that was not read must not turn into one."""
    with pytest.raises(ValueError, match="does not begin"):
        versions.release("unknown")


@pytest.mark.parametrize(
    ("number", "expected"), [(11040, "11.4"), (11060, "11.6"), (12020, "12.2"), (13000, "13.0")]
)
def test_cuda_integers_decode(number: int, expected: str) -> None:
    """The number in "driver too old (found version 11040)" is CUDA 11.4, not a driver."""
    assert expected == versions.cuda_from_number(number)


@pytest.mark.parametrize(
    ("tag", "expected"), [("cu128", "12.8"), ("cu117", "11.7"), ("cpu", None), ("", None)]
)
def test_cuda_tags_decode(tag: str, expected: str | None) -> None:
    """Wheel tags write CUDA's version without its dot."""
    assert expected == versions.cuda_from_tag(tag)


def test_local_tag_and_major_minor() -> None:
    """The local tag follows the plus sign; a missing minor number is zero."""
    assert "cu128" == versions.local_tag("2.8.0+cu128")
    assert "" == versions.local_tag("2.8.0")
    assert (12, 0) == versions.major_minor("12")
