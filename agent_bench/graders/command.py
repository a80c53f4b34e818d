"""The grader ``command``: the task's author says by a command of his own whether the outcome is right."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from agent_bench.graders.execution import Command, execute
from agent_bench.graders.interface import Grading
from agent_bench.model import Check, Signal
from agent_bench.sandboxes.interface import Inside
from agent_bench.toolchains.pytest import project_environment
from agent_bench.toolchains.python_environment import EnvironmentFailedError, PythonEnvironment

SECONDS = 60.0
_FOLDERS = "{files}"
_PYTHON = "{python}"


class CommandGrader:
    """1.0 if the command exits 0, else 0.0; run in a copy of the tree, without network.

    ``{files}`` stands for the folder of the author's scripts, ``{python}`` for the interpreter of the task's
    environment. A string goes to ``/bin/sh -c``, a list is run as it is. Nothing produced: 0.0, without running it.
    """

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal."""
        if grading.unchanged:
            return Signal(name=check.name, value=0.0, reason="nothing was produced")
        command, seconds = check.options["command"], float(check.options.get("timeout_sec", SECONDS))
        files = Path(check.options["files"]) if "files" in check.options else None
        environment: PythonEnvironment | None = None
        if _PYTHON in (command if isinstance(command, str) else "\0".join(command)):
            try:
                environment, _ = await project_environment(grading)
            except EnvironmentFailedError as error:
                return Signal(name=check.name, reason=f"the environment could not be made: {error}")
        argv = fill_in(command, files, environment.python if environment else None)
        readable = (*((files,) if files else ()), *(environment.readable if environment else ()))

        def given(_: Inside) -> Sequence[str]:
            return argv

        done = await execute(Command(check.name, given, seconds, readable), grading)
        finished = done.finished
        if finished.fault:
            return Signal(name=check.name, reason=finished.fault)
        facts = {"exit_code": finished.exit_code}
        if finished.exit_code == 0:
            return Signal(name=check.name, value=1.0, reason="exit code 0", facts=facts)
        ended = f"no end within {seconds:g} s" if finished.timed_out else f"exit code {finished.exit_code}"
        return Signal(name=check.name, value=0.0, reason=f"{ended}: {done.last_words()}", facts=facts)


def fill_in(command: str | Sequence[str], files: Path | None, python: Path | None) -> tuple[str, ...]:
    """The argv of a check's command, its placeholders filled in, quoted for the shell where there is one."""
    values = {_FOLDERS: str(files or ""), _PYTHON: str(python or "")}
    if isinstance(command, str):
        for placeholder, value in values.items():
            command = command.replace(placeholder, shlex.quote(value))
        return ("/bin/sh", "-c", command)
    filled = []
    for word in command:
        for placeholder, value in values.items():
            word = word.replace(placeholder, value)
        filled.append(word)
    return tuple(filled)
