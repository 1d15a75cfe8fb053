from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import jsonio
from core.errors import ResultError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_is_written_reads_back_equal(data: object) -> None:
    """Strict JSON loses nothing that strict JSON can hold."""
    assert data == jsonio.loads(jsonio.dumps(data))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_is_never_written(value: float) -> None:
    """Strict parsers stop at NaN and Infinity, so they never leave this tool."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        jsonio.dumps({"x": [value]})


@pytest.mark.parametrize(
    "text",
    [
        "1" + "0" * 400,
        "-9999999999999999999999",
        "NaN",
        "[Infinity]",
        '{"a": -Infinity}',
        "1e999",
        "-1e999",
    ],
)
def test_a_number_that_is_not_finite_is_never_read(text: str) -> None:
    """A value that no measurement can have makes the file invalid, wherever it stands."""
    with pytest.raises(ResultError, match="not valid JSON"):
        jsonio.loads(text)


def test_half_a_surrogate_pair_is_shown_as_a_question_mark() -> None:
    """It is valid JSON and no text that a terminal or a file can take; a whole pair stays."""
    assert "a?b" == jsonio.loads('"a\\ud800b"')
    assert "\U0001f600" == jsonio.loads('"\\ud83d\\ude00"')


@pytest.mark.parametrize("text", ["", "{", '{"a": "b', "nul", "[" * 100_000])
def test_damaged_text_is_an_error_with_a_remedy(text: str) -> None:
    """Cut-off, empty and endlessly nested text end as one typed error."""
    with pytest.raises(ResultError) as caught:
        jsonio.loads(text, name="r.json")

    assert "r.json" in caught.value.what
    assert caught.value.remedy


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """A file is whole or absent, and no temporary name stays behind."""
    target = tmp_path / "result.json"
    jsonio.write(target, {"a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        jsonio.write(target, {"a": float("nan")})

    assert {"a": 1} == jsonio.read(target)
    assert ["result.json"] == os.listdir(tmp_path)


def test_an_interrupted_rename_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C between writing and renaming leaves the folder as it was."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        jsonio.write(tmp_path / "result.json", {"a": 1})

    assert [] == os.listdir(tmp_path)


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path) -> None:
    """Size is judged before any byte is parsed."""
    large = tmp_path / "large.json"
    large.write_text("[" + " " * 2_000_000 + "]")
    with pytest.raises(ResultError, match="larger than 1 MiB"):
        jsonio.read(large, max_bytes=1024 * 1024)


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    """A named pipe would block for ever and a folder has no text."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, tmp_path / "absent", Path("/dev/zero")):
        with pytest.raises(ResultError, match="is not a file"):
            jsonio.read(path)


def test_another_encoding_is_named(tmp_path: Path) -> None:
    """A UTF-16 file is unreadable, not an empty result."""
    path = tmp_path / "wide.json"
    path.write_text('{"a": 1}', encoding="utf-16")
    with pytest.raises(ResultError, match="cannot be read"):
        jsonio.read(path)
