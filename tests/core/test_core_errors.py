from __future__ import annotations

import inspect

import pytest

from core import errors

ERRORS = [
    cls
    for _, cls in inspect.getmembers(errors, inspect.isclass)
    if issubclass(cls, errors.TorchrigError)
]


@pytest.mark.parametrize("cls", ERRORS)
def test_every_error_says_what_why_and_what_next(cls: type[errors.TorchrigError]) -> None:
    """The text of an error is one paragraph in the order what, why, remedy."""
    error = cls("It broke.", why="It was old.", remedy="Buy another.")

    assert str(error) == "It broke. It was old. Buy another."


@pytest.mark.parametrize("cls", ERRORS)
def test_an_error_without_remedy_cannot_be_made(cls: type[errors.TorchrigError]) -> None:
    """An error a user cannot act on is a fault of ours."""
    with pytest.raises(ValueError, match="remedy"):
        cls("It broke.", remedy="")


@pytest.mark.parametrize("cls", ERRORS)
def test_exit_statuses_are_those_the_design_names(cls: type[errors.TorchrigError]) -> None:
    """1 for a failed check, build or workload; 2 for wrong input and refused choices."""
    wrong_input = (errors.InputError, errors.EngineRefused)

    assert (2 if issubclass(cls, wrong_input) else 1) == cls.exit_code
