"""The signal ``imports``: whether every Python file of the tree parses."""

import json
from typing import Any

from agent_bench.graders.interface import Grading
from agent_bench.graders.room import Ran
from agent_bench.model import Check, Signal
from agent_bench.toolchains.interface import ToolchainError
from agent_bench.toolchains.python_language import PythonLanguage
from agent_bench.workspace import shown

SECONDS = 60.0
MEMORY_BYTES = 2 << 30

# Parsing runs nothing of a file; but a file may kill a parser, and that must not be ours. It says on stderr where it
# is, so that the file that did it is known.
_SCRIPT = """
import ast, json, os, sys
count, bad = 0, []
for root, folders, names in os.walk(sys.argv[1]):
    folders.sort()
    for name in sorted(names):
        path = os.path.join(root, name)
        if not name.endswith(".py") or os.path.islink(path):
            continue
        count += 1
        shown = os.path.relpath(path, sys.argv[1])
        print(ascii(shown)[1:-1], file=sys.stderr, flush=True)
        try:
            with open(path, "rb") as file:
                ast.parse(file.read())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            bad.append((shown, type(error).__name__ + ": " + str(error)[:200]))
print(json.dumps({"count": count, "bad": len(bad), "first": bad[:5]}))
"""


class ImportsGrader:
    """1.0 if every ``*.py`` of the tree parses (``ast.parse`` of the task's Python), else 0.0.

    Not observed: no ``.py``, or only blank ones; nothing produced; that Python is not installed. Parsing happens in
    a child process with limits (60 s, 2 GiB), in the grading sandbox, without any package. A file that kills the
    parser or takes it beyond these limits does not parse: 0.0.
    """

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal."""
        if grading.unchanged:
            return Signal(name=check.name, reason="nothing was produced")
        if not grading.python_files():
            return Signal(name=check.name, reason="no Python code")
        try:
            python = await PythonLanguage().interpreter(grading)
        except ToolchainError as error:
            return Signal(name=check.name, reason=str(error))
        room = await grading.reading_room(check.name)
        ran = await room.run(
            (str(python.program), "-I", "-S", "-B", "-W", "ignore", "-c", _SCRIPT, str(room.tree)),
            seconds=SECONDS,
            readable=python.readable,
            memory_bytes=MEMORY_BYTES,
        )
        return _signal(check.name, ran)


def _signal(name: str, ran: Ran) -> Signal:
    code = ran.finished.exit_code
    if ran.finished.fault:
        return Signal(name=name, reason=ran.finished.fault)
    if ran.stopped_by or (code is not None and (code < 0 or code > 128)):
        how = ran.stopped_by or f"exit code {code}"
        return Signal(name=name, value=0.0, reason=f"{ran.last_words}: it stopped the parser ({how})")
    found = _read(ran.stdout) if code == 0 else None
    if found is None:
        return Signal(name=name, reason=f"the parser failed (exit code {code}): {ran.last_words}")
    if not found["bad"]:
        return Signal(name=name, value=1.0, reason=f"all {found['count']} Python files parse", facts=found)
    path, problem = found["first"][0]
    reason = f"{found['bad']} of {found['count']} Python files do not parse; {path}: {problem}"
    return Signal(name=name, value=0.0, reason=reason[:500], facts=found)


def _read(output: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(output)
        first = [[shown(path), shown(problem)] for path, problem in found["first"]]
        return {"count": int(found["count"]), "bad": int(found["bad"]), "first": first}
    except (ValueError, KeyError, TypeError):
        return None
