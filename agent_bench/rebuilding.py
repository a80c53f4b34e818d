"""From what an agent left to the tree that is graded: its work as plain files, every protected file the author's."""

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from agent_bench import evidence, workspace
from agent_bench.model import Produced, Task
from agent_bench.readers.diffs import file_diff
from agent_bench.toolchains.table import find_toolchain
from agent_bench.workspace import Scan, shown

MAX_DIFF_BYTES = 1 << 20
_TESTS = "tests"


def starting_layers(task: Task) -> dict[str, Path]:
    """What an agent is given: files and folders by their place in the workspace."""
    return {**({"": task.workspace} if task.workspace else {}), **task.visible}


def starting_scan(task: Task, stage: Path) -> Scan | None:
    """The files that the agent started from; None: it started from nothing. Lays them together in a folder of
    ``stage`` where they come from several places."""
    if not task.visible:
        return workspace.scan(task.workspace) if task.workspace else None
    together = stage / "starting"
    workspace.fill(together, starting_layers(task))
    return workspace.scan(together)


def protection(task: Task) -> Callable[[str], bool]:
    """Which files count only in the author's version: nothing but the task's own patterns for tasks whose tests are
    the agent's; for withheld tests also all tests, what the agent was given to read, and whatever decides how the
    tests are built, found, run and reported."""
    toolchain = find_toolchain(task.toolchain) if task.toolchain else None

    def is_protected(path: str) -> bool:
        in_tests = bool(task.toolchain) and path.split("/")[0] == _TESTS
        given = any(path == place or path.startswith(f"{place}/") for place in task.visible)
        named = any(fnmatchcase(path, pattern) for pattern in task.protected)
        return in_tests or given or named or (toolchain is not None and toolchain.is_protected(path))

    return is_protected


@dataclass(frozen=True)
class Rebuilt:
    """The tree, and what the agent did."""

    tree: Path
    produced: Produced


def rebuild(task: Task, output: Path, stage: Path, diff: Path) -> Rebuilt:
    """Makes the tree in ``stage``; writes the changes, for people, to ``diff``. Blocks."""
    starting, left = starting_scan(task, stage), workspace.scan(output)
    produced = workspace.compare(starting, left)
    is_protected = protection(task)
    tree = stage / "tree"
    kept = {path: size for path, size in left.files.items() if not is_protected(path)}
    refused = workspace.rebuild(Scan(left.root, kept, ()), tree)
    undone: tuple[str, ...] = ()
    if starting:
        undone = _undone(starting, left, is_protected)
        for path in filter(is_protected, starting.files):
            workspace.lay(starting.root / path, tree / path)
    else:
        undone = tuple(f"{shown(path)}: left out" for path in left.files if is_protected(path))
    write_diff(starting, left, diff)
    found = (*produced.evidence, *refused)
    return Rebuilt(tree, produced.model_copy(update={"evidence": found, "undone": undone[: workspace.MAX_EVIDENCE]}))


def _undone(starting: Scan, left: Scan, is_protected: Callable[[str], bool]) -> tuple[str, ...]:
    """What of the agent's doing does not count, one sentence each."""
    changed = []
    for path in sorted({*starting.files, *left.files}):
        if not is_protected(path):
            continue
        if path not in starting.files:
            changed.append(f"{shown(path)}: left out, only the author's own such files count")
        elif path not in left.files:
            changed.append(f"{shown(path)}: deleted by the agent, restored")
        elif not workspace.same(starting, left, path):
            changed.append(f"{shown(path)}: changed by the agent, restored")
    return tuple(changed)


def write_diff(starting: Scan | None, left: Scan, path: Path) -> None:
    """The changes as one bounded text."""
    before = starting.files if starting else {}
    size = 0
    with path.open("w", encoding="utf-8", newline="\n") as writer:
        for name in sorted({*before, *left.files}):
            old = evidence.read_regular(starting.root / name, MAX_DIFF_BYTES) if starting and name in before else None
            new = evidence.read_regular(left.root / name, MAX_DIFF_BYTES) if name in left.files else None
            if old == new:
                continue
            text = file_diff(shown(name), old, new)
            size += len(text)
            if size > MAX_DIFF_BYTES:
                writer.write("... the rest is left out\n")
                return
            writer.write(text)
