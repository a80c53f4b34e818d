"""What is wrong with data that was read from a file, in words for the person who wrote it."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

Loc = tuple[str | int, ...]
"""The place of a part in a document: keys, and numbers of list items from 0."""

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "keys with values",
    "mapping_type": "keys with values",
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
    "finite_number": "a finite number",
}
"""Pydantic's kinds of error, in words that know nothing of Python."""

_MAX_FOUND = 80


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong."""

    loc: Loc
    problem: str
    """What was found, and what is expected."""
    hint: str | None = None

    @property
    def field(self) -> str:
        """The place in words: keys and numbers, joined by dots."""
        return ".".join(map(str, self.loc))


def problems_of(error: ValidationError, model: type[BaseModel], data: Mapping[str, Any]) -> list[Problem]:
    """All problems, one for each place: unknown keys first, for a misspelt key is also a missing one."""
    unknown: dict[Loc, Problem] = {}
    missing: dict[Loc, Problem] = {}
    expected: dict[Loc, list[str]] = {}
    found: dict[Loc, str] = {}
    for item in error.errors(include_url=False):
        loc = _place(item, data)
        if item["type"] == "extra_forbidden":
            unknown[loc] = _unknown(loc, _keys_at(model, loc[:-1]))
        elif item["type"] == "missing":
            missing[loc] = Problem(loc, "missing")
        else:
            # A union has one error for each of its branches.
            expected.setdefault(loc, []).append(_expected(item))
            found[loc] = in_words(item.get("input"))
    wrong = [
        Problem(loc, f"found {found[loc]}, expected {' or '.join(dict.fromkeys(words))}")
        for loc, words in expected.items()
    ]
    return [*unknown.values(), *wrong, *missing.values()]


def in_words(value: Any) -> str:
    """A value as its author would recognise it, cut."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        words = f"keys ({', '.join(map(str, value))})" if value else "keys with values"
    elif isinstance(value, list):
        words = "a list" if value else "an empty list"
    else:
        words = repr(value)
    return words if len(words) <= _MAX_FOUND else f"{words[: _MAX_FOUND - 1]}…"


def _place(item: ErrorDetails, data: Any) -> Loc:
    """The place of an error, without the parts that pydantic puts in to name the branch of a union."""
    place: list[str | int] = []
    for number, part in enumerate(item["loc"]):
        is_last = number == len(item["loc"]) - 1
        inside = isinstance(data, list) if isinstance(part, int) else isinstance(data, Mapping) and part in data
        if inside or (is_last and item["type"] == "missing"):
            place.append(part)
            data = data[part] if inside else None
    return tuple(place)


def _unknown(loc: Loc, allowed: list[str]) -> Problem:
    near = get_close_matches(str(loc[-1]), allowed, n=1)
    guess = f": did you mean '{near[0]}'?" if near else ""
    return Problem(loc, f"unknown key{guess}", f"allowed: {', '.join(allowed)}" if allowed else None)


def _expected(item: ErrorDetails) -> str:
    return _EXPECTED.get(item["type"]) or item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")


def _keys_at(model: type[BaseModel], loc: Loc) -> list[str]:
    """The keys that a model allows at a place."""
    models = [model]
    for part in loc:
        fields = [inner.model_fields[part] for inner in models if part in inner.model_fields]
        if fields:
            models = [found for field in fields for found in _models_in(field.annotation)]
    return sorted({key for inner in models for key in inner.model_fields})


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _models_in(part)]
