"""Read a TOML file into a pydantic model, or say every place that is wrong."""

from __future__ import annotations

import difflib
import sys
from inspect import isclass
from pathlib import Path
from typing import Any, Iterable, Mapping, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from core.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LARGEST = 1024 * 1024
Model = TypeVar("Model", bound=BaseModel)


def read(path: Path, model: type[Model], *, schema: int) -> Model:
    """The file as a model.

    Raises:
        InputError: it cannot be read, is not TOML, has another schema, or holds something wrong;
            every place is named, with the nearest known key.
    """
    data = _content(path)
    _refuse_other_schema(path, data.get("schema"), schema)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        faults = [_fault(model, data, details) for details in error.errors()]
        raise refusal(path, list(dict.fromkeys(faults))) from error


def refusal(path: Path, faults: list[str]) -> InputError:
    """One error that names every fault of a file."""
    count = "one problem" if len(faults) == 1 else f"{len(faults)} problems"
    listing = "\n".join(f"  - {fault}" for fault in faults)
    return InputError(
        f"{path} has {count}:\n{listing}\n",
        remedy="Correct these places; docs/claims.md explains every field.",
    )


def nearest(name: str, known: Iterable[str]) -> str:
    """Half a sentence that names the nearest known words, or all of them."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=2, cutoff=0.5)
    if near:
        return f"Perhaps you meant {' or '.join(near)}."
    return f"Known: {', '.join(names)}." if names else "None is known."


def _content(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path} is larger than 1 MiB.", remedy="Name an article's file.")
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"{path} cannot be read.",
            why=f"{error.strerror}.",
            remedy="Name a file that exists and that you may read.",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"{path} is not valid TOML.", why=f"{error}.", remedy="Correct that place."
        ) from error
    return content


def _refuse_other_schema(path: Path, found: object, schema: int) -> None:
    if found == schema and not isinstance(found, bool):
        return
    newer = isinstance(found, int) and found > schema
    raise InputError(
        f"{path} has schema {found!r}.",
        why=f"This version reads schema {schema}.",
        remedy="Update the tool." if newer else f"Write schema = {schema} at its top.",
    )


def _fault(model: type[BaseModel], data: Mapping[str, Any], details: ErrorDetails) -> str:
    location = details["loc"]
    place = _place(data, location)
    if details["type"] == "extra_forbidden":
        parent = _model_at(model, location[:-1])
        known = [field.alias or name for name, field in parent.model_fields.items()]
        return f"{place}: is not a known key. {nearest(str(location[-1]), known)}"
    if details["type"] == "missing":
        return f"{place}: is missing"
    message = details["msg"].removeprefix("Value error, ")
    if details["type"] == "enum":
        return f"{place}: {details['input']!r} will not do; {message.lower()}"
    if details["type"] == "value_error":
        return f"{place}: {message}"
    return f"{place}: {repr(details['input'])[:100]} will not do ({message.lower()})"


def _place(data: Any, location: tuple[int | str, ...]) -> str:
    """``claims[3] (A1.new).metric``: an entry of a list is named by its id where it has one."""
    text, node = "", data
    for part in location:
        node = _child(node, part)
        if isinstance(part, int):
            text += f"[{part}]"
            known = node.get("id") if isinstance(node, dict) else None
            text += f" ({known})" if isinstance(known, str) else ""
        else:
            text += f".{part}" if text else part
    return text or "the file"


def _child(node: Any, part: int | str) -> Any:
    try:
        return node[part]
    except (KeyError, IndexError, TypeError):
        return None


def _model_at(model: type[BaseModel], location: tuple[int | str, ...]) -> type[BaseModel]:
    for part in location:
        field = model.model_fields.get(str(part))
        model = (_inner(field.annotation) if field else None) or model
    return model


def _inner(annotation: Any) -> type[BaseModel] | None:
    if isclass(annotation) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _inner(arg))), None)
