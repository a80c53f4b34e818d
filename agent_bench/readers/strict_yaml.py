"""YAML read strictly: every error names the file, the line, the field, what was found and what is allowed.

PyYAML keeps no line numbers in its data and lets a repeated key hide the earlier one; so the node tree is read and
converted here. JSON is read the same way: it is YAML.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from agent_bench.errors import FileError

MAX_CHARS = 1 << 20
MAX_NODES = 50_000
"""Nodes after aliases are followed: a few lines of aliases can stand for billions ("billion laughs")."""

Loc = tuple[str | int, ...]
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Located:
    """A document's data, and where each part of it stands."""

    path: Path
    data: dict[str, Any]
    lines: Mapping[Loc, int]

    def line(self, loc: Loc) -> int | None:
        """The line (from 1) of a part, or of the nearest part around it."""
        while loc not in self.lines and loc:
            loc = loc[:-1]
        return self.lines.get(loc)


class _Reader:
    """Converts a node tree to plain data, noting lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._left = MAX_NODES
        self._constructor = yaml.constructor.SafeConstructor()
        self.lines: dict[Loc, int] = {}

    def convert(self, node: yaml.Node, loc: Loc, line: int) -> Any:
        self._left -= 1
        if self._left < 0:
            raise FileError(self._path, f"more than {MAX_NODES} values (aliases count each time)", line=line)
        self.lines[loc] = line
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, loc)
        if isinstance(node, yaml.SequenceNode):
            return [
                self.convert(item, (*loc, number), item.start_mark.line + 1) for number, item in enumerate(node.value)
            ]
        try:
            return self._constructor.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            raise FileError(self._path, f"unusable value: {_first_line(error)}", line=line) from error

    def _mapping(self, node: yaml.MappingNode, loc: Loc) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = key_node.value
            if not isinstance(key, str):
                raise FileError(self._path, "a key must be a plain word", line=line)
            if key in found:
                first = self.lines[(*loc, key)]
                raise FileError(self._path, f"key stands twice, first in line {first}", field=key, line=line)
            found[key] = self.convert(value_node, (*loc, key), line)
        return found


def load_yaml(text: str, path: Path) -> Located:
    """The mapping in a YAML (or JSON) text. Raises ``FileError``; ``path`` is only for its message."""
    if len(text) > MAX_CHARS:
        raise FileError(path, f"{len(text)} characters, more than {MAX_CHARS}")
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise FileError(path, f"not valid YAML: {error.problem}", line=mark.line + 1 if mark else None) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise FileError(path, f"not valid YAML: {_first_line(error)}") from error
    if not isinstance(node, yaml.MappingNode):
        found = "nothing" if node is None else "a list" if isinstance(node, yaml.SequenceNode) else "a single value"
        raise FileError(path, f"found {found}, expected keys with values", line=1)
    reader = _Reader(path)
    try:
        data = reader.convert(node, (), 1)
    except RecursionError as error:
        raise FileError(path, "nested too deeply, or an alias that holds itself") from error
    return Located(path, data, reader.lines)


def parse(located: Located, model: type[M]) -> M:
    """The data as a model. Raises ``FileError`` with the first problem; further ones are its hint."""
    try:
        return model.model_validate(located.data)
    except ValidationError as error:
        problems = [_problem(located, model, dict(item)) for item in error.errors(include_url=False)]
        first, *others = problems
        more = "; ".join(f"{other.field}: {other.problem}" for other in others[:5])
        hint = "\n      ".join(filter(None, (first.hint, f"also {more}" if more else "")))
        raise FileError(located.path, first.problem, field=first.field, line=first.line, hint=hint or None) from error


def _problem(located: Located, model: type[BaseModel], item: dict[str, Any]) -> FileError:
    loc: Loc = tuple(part for part in item["loc"] if not _is_branch(part))
    field = ".".join(str(part) for part in loc)
    line = located.line(loc)
    kind = item["type"]
    if kind == "extra_forbidden":
        allowed = _keys_at(model, loc[:-1])
        near = get_close_matches(str(loc[-1]), allowed, n=1)
        guess = f": did you mean '{near[0]}'?" if near else ""
        return FileError(
            located.path, f"unknown key{guess}", field=field, line=line, hint=f"allowed: {', '.join(allowed)}"
        )
    if kind == "missing":
        return FileError(located.path, "missing", field=field, line=line)
    expected = item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return FileError(located.path, f"found {_short(item.get('input'))}, expected {expected}", field=field, line=line)


def _is_branch(part: str | int) -> bool:
    """Whether pydantic put it into a location only to name the branch of a union."""
    return isinstance(part, str) and (part in ("str", "int", "float", "bool") or "[" in part)


def _keys_at(model: type[BaseModel], loc: Loc) -> list[str]:
    """The keys that a model allows at a place."""
    current = model
    for part in loc:
        if isinstance(part, int):
            continue
        field = current.model_fields.get(part)
        inner = [field.annotation, *getattr(field.annotation, "__args__", ())] if field else []
        found = [kind for kind in inner if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if not found:
            return []
        current = found[0]
    return sorted(current.model_fields)


def _short(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= 80 else f"{words[:79]}…"


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
