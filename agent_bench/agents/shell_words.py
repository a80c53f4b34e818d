"""The words of a shell command, each with its place and the quotes around it.

As much of POSIX quoting as is needed to know what stands where: single and double quotes, backslashes, comments,
``$( )``, backticks and subshells. Nothing is expanded.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_OPENS_COMMAND = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{", "exec", "time", "command"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


class Piece(NamedTuple):
    """One character of a command, as the shell takes it."""

    position: int
    char: str
    quote: str
    """The quotes that it stands in: none, ``'`` or ``"``."""
    kind: str
    """``text``, ``mark`` (a quote or a backslash, gone once the shell has read it), ``space``, ``operator`` or
    ``comment``."""
    depth: int
    """How many ``$( )``, backticks and subshells it stands in; their own brackets stand outside."""


@dataclass(frozen=True)
class Word:
    """One word: what the shell would make of ``command[start:end]``."""

    start: int
    end: int
    text: str
    """Without its quotes; expansions are left as they are."""
    leads: bool
    """It stands where a command's name does."""
    depth: int
    """How many ``$( )``, backticks and subshells it stands in."""
    glued: bool
    """It is only the rest of a word, after a ``$( )`` or backticks in it."""


class _Reader:
    """Goes through a command character by character."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._open = [""]
        """What is open, outermost first: each ``(`` or backtick, under the quote that is open in it."""
        self._quotes = [""]
        self._at_word = False

    def _piece(self, position: int, quote: str, kind: str, depth: int | None = None) -> Piece:
        inside = len(self._open) - 1 if depth is None else depth
        return Piece(position, self._command[position], quote, kind, inside)

    def pieces(self) -> Iterator[Piece]:
        position = 0
        while position < len(self._command):
            for piece in self._next(position):
                self._at_word = piece.kind in ("text", "mark")
                position = piece.position + 1
                yield piece

    def _next(self, position: int) -> Iterator[Piece]:
        char, quote = self._command[position], self._quotes[-1]
        if quote == "'":
            yield self._quoted(position, char, quote)
        elif char == "\\":
            yield from self._escaped(position, quote)
        elif char == "`" or self._command.startswith("$(", position):
            yield from self._substitution(position, char, quote)
        elif quote == '"':
            yield self._quoted(position, char, quote)
        else:
            yield from self._bare(position, char)

    def _quoted(self, position: int, char: str, quote: str) -> Piece:
        if char != quote:
            return self._piece(position, quote, "text")
        self._quotes[-1] = ""
        return self._piece(position, quote, "mark")

    def _escaped(self, position: int, quote: str) -> Iterator[Piece]:
        following = self._command[position + 1 : position + 2]
        is_escape = not quote or following in ("$", "`", '"', "\\", "\n")
        yield self._piece(position, quote, "mark" if is_escape else "text")
        if following:
            yield self._piece(position + 1, quote, "text")

    def _substitution(self, position: int, char: str, quote: str) -> Iterator[Piece]:
        depth = len(self._open) - 1
        if char == "`" and self._open[-1] == "`":
            self._close()
            depth -= 1
        else:
            self._opened("`" if char == "`" else "(")
        yield self._piece(position, quote, "operator", depth)
        if char == "$":
            yield self._piece(position + 1, quote, "operator", depth)

    def _bare(self, position: int, char: str) -> Iterator[Piece]:
        if char in "'\"":
            self._quotes[-1] = char
            yield self._piece(position, "", "mark")
        elif char == "#" and not self._at_word:
            end = self._command.find("\n", position)
            for place in range(position, end if end >= 0 else len(self._command)):
                yield self._piece(place, "", "comment")
        elif char in "|&;()<>\n":
            depth = len(self._open) - 1
            if char == "(":
                self._opened("(")
            elif char == ")" and self._open[-1] == "(":
                self._close()
                depth -= 1
            yield self._piece(position, "", "operator", depth)
        else:
            yield self._piece(position, "", "space" if char.isspace() else "text")

    def _opened(self, bracket: str) -> None:
        self._open.append(bracket)
        self._quotes.append("")

    def _close(self) -> None:
        self._open.pop()
        self._quotes.pop()


def pieces(command: str) -> list[Piece]:
    """Every character of a command, as the shell takes it."""
    return list(_Reader(command).pieces())


def shell_words(command: str) -> list[Word]:
    """The words of a command, in order; those within ``$( )`` and backticks among them."""
    words: list[Word] = []
    leads, depth = True, 0
    run: list[Piece] = []
    before: Piece | None = None
    for piece in [*pieces(command), Piece(len(command), "\n", "", "operator", 0)]:
        if piece.kind in ("text", "mark"):
            if piece.depth != depth:
                # Within a bracket a command begins; after it the one around it goes on.
                leads, depth = piece.depth > depth, piece.depth
            run.append(piece)
            continue
        if run:
            glued = before is not None and before.kind == "operator" and before.char in ")`"
            words.append(_word(run, leads=leads, glued=glued and not leads))
            leads = leads and bool(words[-1].text in _OPENS_COMMAND or _ASSIGNMENT.match(words[-1].text))
            run = []
        if piece.kind == "operator" and piece.char in "|&;\n":
            leads = True
        before = piece
    return words


def _word(run: list[Piece], *, leads: bool, glued: bool) -> Word:
    text = "".join(piece.char for piece in run if piece.kind == "text")
    return Word(run[0].position, run[-1].position + 1, text, leads, run[0].depth, glued)


_SHELL_WORDS = frozenset(
    {"cd", "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "set", "export"}
    | {"[", ".", ":", "{", "}", "!", "eval", "trap", "umask", "exit", "unset", "read", "wait", "source", "ulimit"}
    | {"exec", "command", "time", "shift", "return", "break", "continue", "local", "alias", "type", "times"}
)
_PLAIN = re.compile(r"[\w./+@-]+")


def is_shell_word(word: str) -> bool:
    """Whether the shell itself takes this word, or only the shell can tell what it stands for."""
    return word in _SHELL_WORDS or _PLAIN.fullmatch(word) is None
