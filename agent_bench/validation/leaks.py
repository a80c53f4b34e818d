"""The check ``no-leak``: what an agent gets tells neither the withheld tests nor the solution."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from agent_bench import workspace
from agent_bench.model import Task
from agent_bench.readers.identity import normalize_test_name
from agent_bench.rebuilding import starting_layers
from agent_bench.workspace import shown

_VERSION_CONTROL = (".git", ".hg", ".svn", ".bzr", ".jj")
_COPIED_LINES = 4
"""So many lines together, of those that the solution adds or of a withheld test, are no accident."""
_LEAST_CHARS = 60
"""And they must say something: braces and returns are everywhere."""
_ASSERTS = re.compile(r"assert|expect|\bt\.(?:Error|Fatal)", re.IGNORECASE)
"""What tests share beyond it (how they set things up) gives nothing away."""
_MAX_BYTES = 1 << 20


def readable_leaks(task: Task) -> Iterator[str]:
    """What is wrong with the files that an agent gets, one sentence each. Blocks."""
    given = {path: _text(source) for path, source in workspace.files_of(starting_layers(task)).items()}
    yield from _named_tests(task, given)
    # Public tests check things in the ways of the withheld ones; only the names of those may not stand there.
    other = {path: text for path, text in given.items() if not path.startswith("tests/")}
    yield from _copies(other, "a withheld test", _blocks_of(_withheld(task)))
    yield from _copies(given, "the solution", _added_by_solution(task))
    for folder in filter(None, (task.workspace, *task.visible.values())):
        yield from (f"{path} holds the history of the code" for path in _histories(folder))


def _named_tests(task: Task, given: Mapping[str, str]) -> Iterator[str]:
    for name in task.checks[0].options["fail_to_pass"]:
        bare = re.sub(r"\[.*\]$", "", normalize_test_name(name.rsplit("::", 1)[-1]), flags=re.DOTALL)
        if not re.search(r"[\W_]|[a-z][A-Z]", bare):  # one plain word may stand anywhere
            continue
        pattern = re.compile(rf"(?<!\w){re.escape(bare)}(?!\w)", re.IGNORECASE)
        yield from (f"{shown(path)} names {shown(bare)}" for path, text in given.items() if pattern.search(text))


def _withheld(task: Task) -> list[list[str]]:
    return [_lines(_text(source)) for source in workspace.files_of(task.withheld).values()]


def _added_by_solution(task: Task) -> set[str]:
    """What the solution has and the files that it changes have not: lines that it moves or uses once more tell
    nothing."""
    added: set[str] = set()
    held: set[str] = set()
    for path, source in workspace.files_of({"": task.solution or Path()}).items():
        before = (task.workspace or Path()) / path
        old, new = _lines(_text(before) if before.is_file() else ""), _lines(_text(source))
        held |= set(_blocks(old))
        for kind, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind in ("insert", "replace"):
                added |= set(_blocks(new[start:end]))
    return added - held


def _blocks_of(tests: Sequence[Sequence[str]]) -> set[str]:
    return {block for lines in tests for block in _blocks(lines) if _ASSERTS.search(block)}


def _copies(given: Mapping[str, str], what: str, blocks: set[str]) -> Iterator[str]:
    for path, text in given.items():
        if blocks & set(_blocks(_lines(text))):
            yield f"{shown(path)} has lines of {what}"


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    for start in range(len(lines) - _COPIED_LINES + 1):
        block = "\n".join(lines[start : start + _COPIED_LINES])
        if len(block) >= _LEAST_CHARS and not all(_is_usual(line) for line in block.split("\n")):
            yield block


def _is_usual(line: str) -> bool:
    """What stands in every test file: imports, comments."""
    return line.startswith(("import ", "from ", "use ", "#", "//", "/*", "*", "package ", "@"))


def _lines(text: str) -> list[str]:
    stripped = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in stripped if line]


def _text(path: Path) -> str:
    with path.open("rb") as reader:
        return reader.read(_MAX_BYTES).decode("utf-8", "replace")


def _histories(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *files) if name in _VERSION_CONTROL)
