"""The grader ``command``: the task's author says by a command of his own whether the outcome is right."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from agent_bench.graders.interface import Grading
from agent_bench.model import Check, Signal
from agent_bench.toolchains.interface import ToolchainError
from agent_bench.toolchains.python_environment import Interpreter
from agent_bench.toolchains.python_language import PythonLanguage

SECONDS = 60.0
_PLACEHOLDER = re.compile(r"\{(files|python)\}")
_NOT_FOUND = 127
_UNKNOWN = 3
"""Our own exit code: shells differ in theirs."""
_PLAIN_WORD = re.compile(r"[\w.+-]+")


class CommandGrader:
    """1.0 if the author's command exits 0, else 0.0; run in a fresh copy of the tree, without network.

    Options: ``command``, a string for ``/bin/sh -c`` or a list that is run as it is; ``timeout_sec`` (default 60),
    beyond which it is 0.0; ``files``, the folder of the author's scripts, read-only and outside the tree. In the
    command ``{files}`` stands for that folder and ``{python}`` for the interpreter with what the task requires and
    the project declares; in a string both are quoted for the shell; other braces are left alone.

    Nothing produced: 0.0, without running it. Not observed: the environment could not be made, or the program that
    the command calls is not on this machine.
    """

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal."""
        if grading.unchanged:
            return Signal(name=check.name, value=0.0, reason="nothing was produced")
        command = check.options["command"]
        wanted = placeholders(command)
        values: dict[str, Path] = {}
        readable: tuple[Path, ...] = ()
        python: Interpreter | None = None
        if "files" in wanted:
            if "files" not in check.options:
                return Signal(name=check.name, reason="the check has {files} in its command, and names no folder")
            values["files"] = Path(check.options["files"])
            readable = (values["files"],)
        if "python" in wanted:
            try:
                python = await PythonLanguage().environment(grading)
            except ToolchainError as error:
                return Signal(name=check.name, reason=f"the environment could not be made: {error}")
            values["python"] = python.program
            readable = (*readable, *python.readable)
        signal = await _run(check, grading, fill_in(command, values), readable, python)
        noted = f"{signal.reason} ({python.note})" if python and python.note else signal.reason
        return signal.model_copy(update={"reason": noted})


def placeholders(command: str | Sequence[str]) -> set[str]:
    """The names of the placeholders in a command."""
    return {found[1] for word in _words(command) for found in _PLACEHOLDER.finditer(word)}


def fill_in(command: str | Sequence[str], values: Mapping[str, Path]) -> tuple[str, ...]:
    """The argv of a command, its placeholders filled in, quoted where a shell reads them."""
    if isinstance(command, str):
        return ("/bin/sh", "-c", _PLACEHOLDER.sub(lambda found: shlex.quote(str(values[found[1]])), command))
    return tuple(_PLACEHOLDER.sub(lambda found: str(values[found[1]]), word) for word in command)


def _words(command: str | Sequence[str]) -> Sequence[str]:
    return [command] if isinstance(command, str) else command


async def _run(
    check: Check, grading: Grading, argv: Sequence[str], readable: Sequence[Path], python: Interpreter | None
) -> Signal:
    room = await grading.fresh_room(check.name)
    seconds = float(check.options.get("timeout_sec", SECONDS))
    path_after = (python.program.parent,) if python else ()
    ran = await room.run(argv, seconds=seconds, readable=readable, path_after=path_after)
    code = ran.finished.exit_code
    if code is None or code == _NOT_FOUND:
        missing = await _missing_program(check, grading)
        if missing:
            return Signal(name=check.name, reason=f"{missing}: no such program in the grading sandbox")
    if ran.finished.fault:
        return Signal(name=check.name, reason=ran.finished.fault)
    facts = {"exit_code": code}
    if code == 0 and not ran.stopped_by:
        return Signal(name=check.name, value=1.0, reason="exit code 0", facts=facts)
    ended = ran.stopped_by or f"exit code {code}"
    reason = f"{ended}: {ran.last_words}" if ran.last_words else ended
    return Signal(name=check.name, value=0.0, reason=reason, facts=facts)


async def _missing_program(check: Check, grading: Grading) -> str | None:
    """The program that the command begins with, if the shell knows none of that name: that is no fault of the agent's,
    whereas a program that ends with 127 by itself is.
    """
    command = check.options["command"]
    words = command.split() if isinstance(command, str) else command
    if not words or not _PLAIN_WORD.fullmatch(words[0]):
        return None
    room = await grading.reading_room(f"{check.name}-program")
    question = f'command -v "$1" || exit {_UNKNOWN}'
    ran = await room.run(("/bin/sh", "-c", question, "sh", words[0]), seconds=SECONDS)
    return words[0] if ran.finished.exit_code == _UNKNOWN else None
