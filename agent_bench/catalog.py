"""Finds tasks in folders and selects some of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_bench.errors import FileError, UsageError, unknown_name
from agent_bench.formats.interface import Format
from agent_bench.formats.table import formats
from agent_bench.model import Task


@dataclass(frozen=True)
class Catalog:
    """What was found: tasks sorted by id, and the files that hold none because something is wrong with them."""

    tasks: tuple[Task, ...]
    problems: tuple[FileError, ...]


def discover(folders: Sequence[Path]) -> Catalog:
    """All tasks of the folders. A task of an earlier folder hides one with the same id in a later one.

    A bad file is a problem in the result and hides no other. Two files of one folder with the same id are both
    left out: it cannot be known which is meant.
    """
    known = formats()
    tasks: dict[str, Task] = {}
    problems: list[FileError] = []
    for folder in folders:
        for task_id, task in _in_folder(folder, known, problems).items():
            tasks.setdefault(task_id, task)
    return Catalog(tuple(tasks[task_id] for task_id in sorted(tasks)), tuple(problems))


def _in_folder(folder: Path, known: Iterable[Format], problems: list[FileError]) -> dict[str, Task]:
    found: dict[str, list[Task]] = {}
    for format_ in known:
        for path in format_.find(folder):
            try:
                task = format_.load(path, folder)
            except FileError as error:
                problems.append(error)
            else:
                found.setdefault(task.id, []).append(task)
    for task_id, same in found.items():
        for task in same[1:]:
            problem = f"task '{task_id}' stands in {same[0].source} as well"
            problems.append(FileError(task.source, problem, field="id", hint="give one of them another id"))
    return {task_id: same[0] for task_id, same in found.items() if len(same) == 1}


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
    stem = task_id.rsplit("/", 1)[-1]
    for problem in catalog.problems:
        if problem.path.stem == stem or f"'{task_id}'" in problem.problem:
            return problem
    return unknown_name("task", task_id, [task.id for task in catalog.tasks])
