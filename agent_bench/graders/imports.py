"""The signal ``imports``: whether every Python file of the tree parses."""

import json

from agent_bench.graders.execution import Command, base_python, execute, python_folders
from agent_bench.graders.interface import Grading
from agent_bench.model import Check, Signal
from agent_bench.workspace import shown

SECONDS = 60.0
MEMORY_BYTES = 2 << 30

# Runs in the sandbox with no site-packages. Parsing runs nothing of the file, but a hostile one can crash a parser:
# that must not be ours.
_SCRIPT = """
import ast, json, os, sys
count, bad = 0, []
for root, folders, names in os.walk("."):
    folders.sort()
    for name in sorted(names):
        path = os.path.join(root, name)
        if not name.endswith(".py") or os.path.islink(path):
            continue
        count += 1
        try:
            with open(path, "rb") as file:
                ast.parse(file.read(), path)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
            bad.append([path[2:], type(error).__name__ + ": " + str(error)])
print(json.dumps({"count": count, "bad": len(bad), "first": bad[:5]}))
"""


class ImportsGrader:
    """1.0 if every ``*.py`` parses (``ast.parse``), else 0.0. No ``.py``, or nothing produced: not observed.

    Parsing happens in a child process with limits of time and memory, in the grading sandbox.
    """

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal."""
        if grading.unchanged:
            return Signal(name=check.name, reason="nothing was produced")
        python = base_python()
        command = Command(
            name=check.name,
            argv=lambda _: (str(python), "-I", "-S", "-c", _SCRIPT),
            seconds=SECONDS,
            readable=python_folders(python),
            own_tree=False,
            memory_bytes=MEMORY_BYTES,
        )
        done = await execute(command, grading)
        if done.finished.exit_code != 0:
            return Signal(name=check.name, reason=_failure(done.finished.fault, done.finished.exit_code))
        found = json.loads(done.stdout())
        if not found["count"]:
            return Signal(name=check.name, reason="no Python file")
        if not found["bad"]:
            return Signal(name=check.name, value=1.0, reason=f"{found['count']} Python files parse", facts=found)
        path, problem = found["first"][0]
        reason = f"{found['bad']} of {found['count']} Python files do not parse; {shown(path)}: {shown(problem)}"
        return Signal(name=check.name, value=0.0, reason=reason[:500], facts=_shown(found))


def _shown(found: dict[str, object]) -> dict[str, object]:
    first = found["first"]
    assert isinstance(first, list)
    return {**found, "first": [[shown(str(part))[:300] for part in pair] for pair in first]}


def _failure(fault: str | None, exit_code: int | None) -> str:
    return fault or f"the parser did not come to an end (exit code {exit_code})"
