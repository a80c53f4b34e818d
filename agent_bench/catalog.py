"""Finds tasks in folders and selects some of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent_bench.errors import FileError, UsageError, unknown_name
from agent_bench.formats.interface import Format
from agent_bench.formats.table import formats
from agent_bench.formats.task_source import declared_id
from agent_bench.model import Task


@dataclass(frozen=True)
class Catalog:
    """What was found: tasks sorted by id, and the files that hold none because something is wrong with them."""

    tasks: tuple[Task, ...]
    problems: tuple[FileError, ...]
    broken: Mapping[str, FileError] = field(default_factory=dict)
    """The ids that bad files seem to be about, where no good file gives the same id."""


def discover(folders: Sequence[Path]) -> Catalog:
    """All tasks of the folders. A task of an earlier folder hides one with the same id in a later one.

    A bad file is a problem in the result and hides no other, but for one of the same id in a later folder: that is
    not the task that is meant. Two files of one folder with the same id are both left out: it cannot be known which
    is meant.
    """
    known = formats()
    tasks: dict[str, Task] = {}
    broken: dict[str, FileError] = {}
    problems: list[FileError] = []
    for folder in folders:
        found = _in_folder(folder, known)
        tasks.update({task_id: task for task_id, task in found.tasks.items() if task_id not in {**tasks, **broken}})
        broken.update({task_id: error for task_id, error in found.broken.items() if task_id not in {**tasks, **broken}})
        problems += found.problems
    return Catalog(tuple(tasks[task_id] for task_id in sorted(tasks)), tuple(problems), broken)


@dataclass
class _Found:
    """What one folder holds."""

    tasks: dict[str, Task] = field(default_factory=dict)
    broken: dict[str, FileError] = field(default_factory=dict)
    problems: list[FileError] = field(default_factory=list)

    def fail(self, task_id: str, error: FileError) -> None:
        self.problems.append(error)
        self.broken.setdefault(task_id, error)


def _in_folder(folder: Path, known: Iterable[Format]) -> _Found:
    found = _Found()
    loaded: dict[str, list[Task]] = {}
    for format_ in known:
        for path in _find(format_, folder, found):
            try:
                task = format_.load(path, folder)
                loaded.setdefault(task.id, []).append(task)
            except FileError as error:
                found.fail(declared_id(path) or path.stem, error)
    for task_id, same in loaded.items():
        if len(same) == 1:
            found.tasks[task_id] = same[0]
        for task in same[1:]:
            problem = f"task '{task_id}' stands in {same[0].source} as well"
            found.fail(task_id, FileError(task.source, problem, field="id", hint="give one of them another id"))
    return found


def _find(format_: Format, folder: Path, found: _Found) -> Sequence[Path]:
    try:
        return format_.find(folder)
    except OSError as error:
        found.problems.append(FileError(folder, f"not readable: {error.strerror or error}"))
        return ()


def select(
    catalog: Catalog,
    *,
    ids: Sequence[str] = (),
    tags: Sequence[str] = (),
    language: str | None = None,
    difficulty: str | None = None,
) -> list[Task]:
    """The tasks with one of the ids (all, if none is given) that fit every filter.

    Raises ``UsageError`` for an unknown id, language, difficulty or tag, and the file's own error for an id whose
    file is bad; other bad files never stop a selection.
    """
    by_id = {task.id: task for task in catalog.tasks}
    for task_id in ids:
        if task_id not in by_id:
            raise _missing(task_id, catalog)
    chosen = [by_id[task_id] for task_id in dict.fromkeys(ids)] if ids else list(catalog.tasks)
    _check_known("language", [language] if language else [], {t.language for t in catalog.tasks if t.language})
    _check_known("difficulty", [difficulty] if difficulty else [], {"easy", "medium", "hard"})
    _check_known("tag", tags, {tag for task in catalog.tasks for tag in task.tags})
    return [
        task
        for task in chosen
        if language in (None, task.language) and difficulty in (None, task.difficulty) and set(tags) <= set(task.tags)
    ]


def _check_known(kind: str, wanted: Sequence[str], known: set[str]) -> None:
    for name in wanted:
        if name not in known:
            raise unknown_name(kind, name, sorted(known))


def _missing(task_id: str, catalog: Catalog) -> UsageError | FileError:
    """Why there is no such task: its file is bad, or its name is wrong."""
    known = [*(task.id for task in catalog.tasks), *catalog.broken]
    return catalog.broken.get(task_id) or unknown_name("task", task_id, known)
