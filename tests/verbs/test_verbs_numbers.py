from __future__ import annotations

import pytest

from core.errors import InputError
from verbs.numbers import seconds, whole


def test_numbers_off_the_command_line_become_numbers() -> None:
    """Invoke hands text over; what follows compares numbers."""
    assert 7 == whole("--seed", "7", least=0)
    assert 2.5 == seconds("--timeout", "2.5")
    assert whole("--seed", None, least=0) is None
    assert seconds("--timeout", None) is None


@pytest.mark.parametrize("text", ["", "x", "1.5", "-1", "1e3", "٣x"])
def test_what_is_no_whole_number_is_wrong_input(text: str) -> None:
    """The option and the text are named."""
    with pytest.raises(InputError, match="--rounds"):
        whole("--rounds", text, least=1)


@pytest.mark.parametrize("text", ["", "x", "0", "-3", "nan", "inf"])
def test_what_is_no_length_of_time_is_wrong_input(text: str) -> None:
    """Zero, negative and endless limits are no limits."""
    with pytest.raises(InputError, match="--timeout"):
        seconds("--timeout", text)
