"""Filling a command's placeholders with values that can never be taken for anything but values.

A command for the shell is never changed by a value: each placeholder becomes a reference to a shell variable, quoted
as its place needs it, and the values are handed over apart from the command. Where a value would be read as code all
the same (in the argument of ``bash -c``, say), the command is refused.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from agent_bench.agents.shell_words import Piece, Word, is_shell_word, pieces, shell_words

Command = str | tuple[str, ...]
"""For ``/bin/sh``, or the words of a program's call."""

_NAMES = ("prompt", "prompt_file", "workspace", "model")
# ``${model}`` is the shell's own.
_PLACEHOLDER = re.compile(rf"(?<!\$)\{{({'|'.join(_NAMES)})\}}")
_VARIABLE = "agent_bench_"
_SINGLE = re.compile(r"[^;&|<>()$`\n#]+")
"""A command without any operator of the shell's: one program and its arguments."""
_TAKES_CODE = re.compile(
    r"(ba|da|z|k|a|fi)?sh|su|sg|runuser|script|flock|python[\d.]*|pypy[\d.]*|node|deno|bun|ruby|perl|php"
)
_CODE_FLAG = re.compile(r"-[A-Za-z]*[cepr]|--(eval|print|command|run)")
_SCRIPT = re.compile(r".*/.*|.+\.(py|js|mjs|cjs|ts|sh|rb|pl|php)|-m")
"""After it, flags are no more the interpreter's."""
_JOINS_ARGUMENTS = frozenset({"eval", "ssh", "watch", "parallel"})
"""What they are given is read by a shell once more, whatever its quotes."""


def placeholders(command: Command) -> frozenset[str]:
    """The placeholders that a command has; other braces are none."""
    text = command if isinstance(command, str) else "\0".join(command)
    return frozenset(match[1] for match in _PLACEHOLDER.finditer(text))


def unsafe_placeholder(command: Command) -> str | None:
    """Why a command cannot be filled in safely; None if it can."""
    if isinstance(command, str):
        calls = _calls(shell_words(command))
    else:
        calls = [[Word(0, 0, text, number == 0, 0, False) for number, text in enumerate(command)]]
    for words in calls:
        if offender := _in_code(words):
            return (
                f"in {offender.text[:60]!r} the value of a placeholder would be read as code: hand it over as an"
                """ argument of its own, as in  bash -c 'my-agent "$1"' _ {prompt}"""
            )
    if isinstance(command, str) and _in_here_document(command):
        return "a placeholder cannot stand in a here-document: use {prompt_file}"
    return None


def _calls(words: list[Word]) -> list[list[Word]]:
    """The single calls of a command; what stands in brackets belongs to the call around it as well."""
    calls: list[list[Word]] = []
    open_calls: dict[int, list[Word]] = {}
    for word in words:
        if word.leads:
            open_calls = {depth: call for depth, call in open_calls.items() if depth < word.depth}
            open_calls[word.depth] = []
            calls.append(open_calls[word.depth])
        for depth, call in open_calls.items():
            if depth <= word.depth:
                call.append(word)
    return calls


def _in_code(words: list[Word]) -> Word | None:
    """The word of a call in which a placeholder's value would be run as code."""
    takes_code = has_flag = has_code = joins = False
    for word in words:
        is_own = _PLACEHOLDER.fullmatch(word.text) and not word.glued and word.depth == words[0].depth
        flag, _, attached = word.text.partition("=")
        is_flag = takes_code and _CODE_FLAG.fullmatch(flag) is not None
        is_code = joins or (is_flag and attached) or (has_flag and not (has_code and is_own))
        if is_code and _PLACEHOLDER.search(word.text):
            return word
        has_code = has_code or has_flag
        has_flag = has_flag or is_flag
        name = PurePosixPath(word.text).name
        joins = joins or name in _JOINS_ARGUMENTS
        # A script ends the interpreter's own flags; the path of an interpreter begins them.
        takes_code = bool(_TAKES_CODE.fullmatch(name)) or (takes_code and not _SCRIPT.fullmatch(word.text))
    return None


def _in_here_document(command: str) -> bool:
    taken = pieces(command)
    operators = "".join(piece.char if piece.kind == "operator" and not piece.quote else " " for piece in taken)
    match = re.search(r"(?<!<)<<(?!<)", operators)
    if match is None:
        return False
    end = command.find("\n", taken[match.start()].position)
    return end >= 0 and _PLACEHOLDER.search(command, end) is not None


def filled_words(words: tuple[str, ...], values: Mapping[str, str]) -> tuple[str, ...]:
    """The call with its placeholders filled in; no shell sees it."""
    return tuple(_PLACEHOLDER.sub(lambda match: values[match[1]], word) for word in words)


def shell_call(command: str, values: Mapping[str, str]) -> tuple[str, ...]:
    """The call of ``/bin/sh`` that runs the command with its placeholders filled in.

    The values come as arguments, and are kept in variables that no child inherits.
    """
    used = [name for name in _NAMES if name in placeholders(command)]
    given = "".join(f"{_VARIABLE}{name}=${{{number}}}; " for number, name in enumerate(used, start=1))
    # A single program takes the shell's place: its signals and its exit code are then its own.
    lead = "exec " if _SINGLE.fullmatch(command) and not is_shell_word(command.split()[0]) else ""
    code = f"{given}set --; {lead}{_with_references(command)}" if used else f"{lead}{command}"
    return ("/bin/sh", "-c", code, "agent-bench", *(values[name] for name in used))


def _with_references(command: str) -> str:
    taken = pieces(command)
    at = {piece.position: piece for piece in taken}
    parts, done = [], 0
    for match in _PLACEHOLDER.finditer(command):
        span = [at[position] for position in range(match.start(), match.end())]
        if _is_plain(span, at.get(match.start() - 1)):
            parts += [command[done : match.start()], _reference(match[1], span[0].quote)]
            done = match.end()
    return "".join([*parts, command[done:]])


def _is_plain(span: list[Piece], before: Piece | None) -> bool:
    """Whether a placeholder stands there as it is: not in a comment, and not escaped."""
    escaped = before is not None and before.kind == "mark" and before.char == "\\"
    return not escaped and all(piece.kind == "text" for piece in span)


def _reference(name: str, quote: str) -> str:
    variable = f"${{{_VARIABLE}{name}}}"
    if quote == '"':
        return variable
    # Out of single quotes, the reference in double ones, and back.
    return f"'\"{variable}\"'" if quote == "'" else f'"{variable}"'
