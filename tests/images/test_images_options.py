"""Build options are checked before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError
from images.config import load_table
from images.options import BuildOptions

ENVIRONMENT = load_table().default


def test_the_usual_variables_are_honoured(tmp_path: Path):
    """Index, proxies and the first CA variable that names a file."""
    ca = tmp_path / "ca.pem"
    ca.touch()
    options = BuildOptions.from_environment(
        {
            "PIP_INDEX_URL": "https://index.example/simple",
            "HTTPS_PROXY": "http://proxy.example:3128",
            "SSL_CERT_FILE": str(tmp_path / "absent.pem"),
            "PIP_CERT": str(ca),
        },
        base=None,
        builder="classic",
    )

    assert "https://index.example/simple" == options.index
    assert {"HTTPS_PROXY": "http://proxy.example:3128"} == options.proxies
    assert ca == options.ca
    assert "classic" == options.builder
    assert options.base is None


def test_what_is_given_beats_the_variables():
    """An option is nearer than the environment."""
    options = BuildOptions.from_environment({"PIP_INDEX_URL": "https://a/"}, index="https://b/")

    assert "https://b/" == options.index


@pytest.mark.parametrize("registry", ["nvcr.io", "nvcr.io/"])
def test_a_registry_goes_before_the_table_s_base(registry: str):
    """With one slash between."""
    options = BuildOptions(registry=registry)

    assert f"nvcr.io/{ENVIRONMENT.base}" == options.base_image(ENVIRONMENT)
    assert "nvcr.io/" == options.arguments(ENVIRONMENT)["REGISTRY"]


def test_a_base_that_was_given_takes_no_registry():
    """A local image has none."""
    options = BuildOptions(registry="nvcr.io", base="local/base")

    assert "local/base" == options.base_image(ENVIRONMENT)


@pytest.mark.parametrize(
    "wrong",
    [
        {"base": "a b"},
        {"base": "x\nRUN id"},
        {"registry": "https://nvcr.io"},
        {"registry": "a b"},
        {"index": "ftp://index.example"},
        {"index": "https://index.example/$(id)"},
        {"extra_index": "https://name:word@index.example/simple"},
        {"apt_mirror": "https://mirror.example/#x"},
        {"uid": 0},
        {"uid": 70000},
    ],
)
def test_a_wrong_option_is_refused(wrong: dict[str, object]):
    """Before an engine is asked."""
    with pytest.raises(InputError):
        BuildOptions(**wrong).arguments(ENVIRONMENT)


def test_a_refused_password_is_not_repeated():
    """Not in the message either."""
    with pytest.raises(InputError) as caught:
        BuildOptions(index="https://name:hidden@index.example/").arguments(ENVIRONMENT)

    assert "hidden" not in str(caught.value)
