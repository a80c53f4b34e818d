"""Filling a command's placeholders with values that can never be taken for anything but values.

In a command for the shell a placeholder becomes a reference to a shell variable, quoted as its place in the command
needs it; the value itself is never part of the command's text.
"""

import re
from collections.abc import Mapping

_NAMES = "prompt|prompt_file|workspace|model"
_PLACEHOLDER = re.compile(r"\{(" + _NAMES + r")\}")
VARIABLE = "AGENT_BENCH_{}"


def placeholders(command: str | tuple[str, ...]) -> frozenset[str]:
    """The placeholders that a command has; other braces are none."""
    text = command if isinstance(command, str) else "\0".join(command)
    return frozenset(_PLACEHOLDER.findall(text))


def fill_words(words: tuple[str, ...], values: Mapping[str, str]) -> tuple[str, ...]:
    """The words of a command that no shell sees, filled in."""
    return tuple(_PLACEHOLDER.sub(lambda match: values[match[1]], word) for word in words)


def shell_text(command: str) -> str:
    """A command for the shell with each placeholder as a quoted reference to its variable (``VARIABLE``)."""
    parts: list[str] = []
    quote = ""
    position = 0
    while position < len(command):
        char = command[position]
        match = _PLACEHOLDER.match(command, position)
        if match:
            parts.append(_reference(match[1], quote))
            position = match.end()
            continue
        if char == "\\" and quote != "'":
            parts.append(command[position : position + 2])
            position += 2
            continue
        if not quote and char in "'\"":
            quote = char
        elif char == quote:
            quote = ""
        parts.append(char)
        position += 1
    return "".join(parts)


def _reference(name: str, quote: str) -> str:
    variable = "${" + VARIABLE.format(name.upper()) + "}"
    if quote == '"':
        return variable
    # Out of single quotes, the reference in double ones, and back.
    return f"'\"{variable}\"'" if quote == "'" else f'"{variable}"'
