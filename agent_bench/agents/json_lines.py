"""Reading what agents write as JSON: tolerant of anything, for it is hostile input."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

_MAX_LINE_BYTES = 32 << 20


def objects(content: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects that stand on lines of their own; other lines are passed over."""
    for line in content.split(b"\n"):
        line = line.strip()
        if not line.startswith(b"{") or len(line) > _MAX_LINE_BYTES:
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def document(content: bytes) -> Any:
    """The one JSON value that the content is; None if it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def at(value: Any, path: str) -> Any:
    """What stands at a dotted path of keys and list indexes; None if there is nothing."""
    found = each(value, path)
    return found[0] if found else None


def each(value: Any, path: str) -> list[Any]:
    """Everything that stands at a dotted path in which ``*`` stands for every key or element."""
    found = [value]
    for part in path.split("."):
        found = [inner for outer in found for inner in _steps(outer, part)]
    return found


def _steps(value: Any, part: str) -> list[Any]:
    if isinstance(value, Mapping):
        if part in value:
            return [value[part]]
        return list(value.values()) if part == "*" else []
    if isinstance(value, list):
        if part == "*":
            return value
        is_index = part.lstrip("-").isdecimal() and -len(value) <= int(part) < len(value)
        return [value[int(part)]] if is_index else []
    return []


def count(value: Any) -> int | None:
    """A number of tokens; None if the value is not one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value < 10**15 else None


def amount(value: Any) -> float | None:
    """A sum of money; None if the value is not one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 10**9 else None


def text(value: Any) -> str:
    """The value if it is text, else nothing."""
    return value if isinstance(value, str) else ""
