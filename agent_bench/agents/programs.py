"""The programs that a command starts, as they can be seen in its text."""

import re
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from agent_bench.agents.shell_words import Word, shell_words
from agent_bench.agents.template import Command

_STARTS_ANOTHER = re.compile(
    r"(python|pypy)[\d.]*|node|deno|bun|ruby|perl|php|(ba|da|z|k|a)?sh|java|uv|uvx|npx|tsx|ts-node"
    r"|env|timeout|nice|nohup|stdbuf|time|exec|command|setsid|script"
)
"""Interpreters, and programs that start another one: what they run is among their arguments."""
_INLINE = re.compile(r"-[A-Za-z]*[cemp]|--(eval|print|module)")
"""After it stands code, or the name of a module, and no script."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def programs_of(command: Command) -> list[str]:
    """The words of a command that may be programs: those that are called and, to be safe, all others."""
    return list(dict.fromkeys(word.text for word in _words(command) if word.text and "=" not in word.text))


def first_program(command: Command) -> str | None:
    """The word that is called first, after any assignments."""
    called = (word.text for word in _words(command) if word.leads and not _ASSIGNMENT.match(word.text))
    return next(called, None)


def _words(command: Command) -> list[Word]:
    if isinstance(command, str):
        return shell_words(command)
    return [Word(number, number, text, number == 0, 0, False) for number, text in enumerate(command)]


def with_absolute_programs(command: Command, base: Path) -> Command:
    """The command with its own programs, where given relative to ``base``, by their absolute paths.

    It is to run in another folder and with another HOME: so ``./agent``, ``~/agent``, and ``agent.py`` after
    ``python3`` are put in full.
    """
    if isinstance(command, str):
        parts, done = [], 0
        for word, path in _own(shell_words(command), base):
            parts += [command[done : word.start], quote(path)]
            done = word.end
        return "".join([*parts, command[done:]])
    places = {word.start: path for word, path in _own(_words(command), base)}
    return tuple(places.get(number, word) for number, word in enumerate(command))


def _own(words: list[Word], base: Path) -> Iterator[tuple[Word, str]]:
    """The words that stand for the user's own programs, each with its absolute path."""
    is_argument = False
    """Of a program that starts another one."""
    for word in words:
        is_argument = is_argument and not word.leads and not _INLINE.fullmatch(word.text)
        if not word.leads and not is_argument:
            continue
        path = _own_path(word, base)
        if path is not None:
            yield word, path
        starts_another = _STARTS_ANOTHER.fullmatch(Path(word.text).name) is not None
        is_argument = starts_another or (is_argument and path is None)


def _own_path(word: Word, base: Path) -> str | None:
    """The absolute path of a word, if it names a program or a script by a path that depends on the folder."""
    text = word.text
    if not text or text.startswith(("/", "-")) or any(char in text for char in "{$"):
        return None
    if word.leads and "/" not in text:
        return None  # looked for on the PATH, as any shell does
    path = base / Path(text).expanduser()
    return str(path.absolute()) if word.leads or path.is_file() else None
