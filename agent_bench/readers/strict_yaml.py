"""YAML read strictly: every error names the file, the line, the field, what was found and what is allowed.

PyYAML keeps no line numbers in its data and lets a repeated key hide the earlier one; so the node tree is read and
converted here. Plain words mean what they mean in JSON and YAML 1.2: ``no`` and ``on`` are text, not false and true,
and ``1:30``, ``0600`` and ``2026-01-01`` are text, not 90, 384 and a date. JSON is read the same way: it is YAML.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from agent_bench.errors import FileError
from agent_bench.readers.model_problems import Loc, problems_of

MAX_CHARS = 1 << 20
MAX_NODES = 50_000
"""Nodes after aliases are followed: a few lines of aliases can stand for billions ("billion laughs")."""
MAX_DEPTH = 50

_TAG = "tag:yaml.org,2002:"
_PLAIN_WORDS = {
    None: [
        (f"{_TAG}null", re.compile(r"(?:~|null|Null|NULL|)$")),
        (f"{_TAG}bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)$")),
        (f"{_TAG}int", re.compile(r"[-+]?(?:0|[1-9]\d*)$", re.ASCII)),
        (f"{_TAG}float", re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?$", re.ASCII)),
        (f"{_TAG}float", re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$")),
    ]
}
"""What PyYAML resolves plain words by; under None, whatever the first character."""

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


def load_yaml(text: str, path: Path) -> Located:
    """The mapping in a YAML (or JSON) text. Raises ``FileError``; ``path`` is only for its message."""
    if len(text) > MAX_CHARS:
        raise FileError(path, f"{len(text)} characters, more than {MAX_CHARS}")
    try:
        node = yaml.compose(_readable(text), Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise FileError(path, f"not valid YAML: {error.problem}", line=mark.line + 1 if mark else None) from error
    except (yaml.YAMLError, ValueError) as error:
        raise FileError(path, f"not valid YAML: {_first_line(error)}") from error
    except RecursionError as error:
        raise FileError(path, "not valid YAML: nested too deeply") from error
    if not isinstance(node, yaml.MappingNode):
        found = "nothing" if node is None else "a list" if isinstance(node, yaml.SequenceNode) else "a single value"
        raise FileError(path, f"found {found}, expected keys with values", line=1)
    reader = _Reader(path)
    return Located(path, reader.convert(node, (), 1), reader.lines)


def parse(located: Located, model: type[M]) -> M:
    """The data as a model. Raises ``FileError`` with the first problem; further ones are its hint."""
    try:
        return model.model_validate(located.data)
    except ValidationError as error:
        first, *others = problems_of(error, model, located.data)
        more = "; ".join(f"{other.field}: {other.problem}" for other in others[:5])
        hint = "\n      ".join(filter(None, (first.hint, f"also {more}" if more else "")))
        line = located.line(first.loc)
        raise FileError(located.path, first.problem, field=first.field, line=line, hint=hint or None) from error


class _Loader(yaml.SafeLoader):
    """Knows the plain words of JSON and YAML 1.2; all others are text."""

    yaml_implicit_resolvers = _PLAIN_WORDS


class _Reader:
    """Converts a node tree to plain data, noting lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._left = MAX_NODES
        self._constructor = yaml.constructor.SafeConstructor()
        self.lines: dict[Loc, int] = {}

    def convert(self, node: yaml.Node, loc: Loc, line: int) -> Any:
        """The data of a node. Raises ``FileError``."""
        self._left -= 1
        if self._left < 0:
            raise FileError(self._path, f"more than {MAX_NODES} values (aliases count each time)", line=line)
        if len(loc) > MAX_DEPTH:
            raise FileError(self._path, "nested too deeply, or an alias that holds itself", line=line)
        self.lines[loc] = line
        if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
            return self._mapping(node, loc)
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.convert(item, (*loc, number), _line(item)) for number, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, line)
        raise FileError(self._path, f"found the tag {_tag(node)}: there are no tags here", line=line)

    def _scalar(self, node: yaml.ScalarNode, line: int) -> Any:
        if node.tag.removeprefix(_TAG) not in ("str", "null", "bool", "int", "float"):
            raise FileError(self._path, f"found the tag {_tag(node)}: there are no tags here", line=line)
        try:
            value = self._constructor.construct_object(node)
            # JSON writes a character beyond U+FFFF as two halves.
            return value.encode("utf-16", "surrogatepass").decode("utf-16") if isinstance(value, str) else value
        except (yaml.YAMLError, ValueError, LookupError) as error:
            raise FileError(self._path, f"unusable value: {_first_line(error)}", line=line) from error

    def _mapping(self, node: yaml.MappingNode, loc: Loc) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line, key = _line(key_node), key_node.value
            if not isinstance(key, str):
                raise FileError(self._path, "a key must be a plain word", line=line)
            if key in found:
                first = self.lines[(*loc, key)]
                raise FileError(self._path, f"key stands twice, first in line {first}", field=key, line=line)
            found[key] = self.convert(value_node, (*loc, key), line)
        return found


def _readable(text: str) -> str:
    """The text, in which tabs are spaces if it is JSON: YAML allows no tabs between values.

    Nothing is lost, for JSON allows no tab inside a value.
    """
    if "\t" not in text or not text.lstrip().startswith("{"):
        return text
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text.replace("\t", " ")


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _tag(node: yaml.Node) -> str:
    return str(node.tag).replace(_TAG, "!!")


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
