"""Verified tasks: a folder each, with code to mend or extend and withheld tests that say whether it was done.

The form is that of seed 001, with additions: ``task.yaml`` is read as well, more languages, and the optional keys
``environment``, ``protected`` and ``lint``.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from agent_bench.errors import FileError, UsageError
from agent_bench.formats.digest import material, task_digest
from agent_bench.formats.task_source import TaskSource, read_task_text
from agent_bench.formats.verified_keys import VerifiedKeys
from agent_bench.model import Check, Environment, Limits, Policy, Task
from agent_bench.readers.ignored import is_ignored_folder
from agent_bench.readers.strict_yaml import load_yaml, parse
from agent_bench.toolchains.table import toolchain_of

TASK_FILES = ("task.json", "task.yaml", "task.yml")
SPEC, PUBLIC, HIDDEN = "SPEC.md", "tests/public", "tests/hidden"
CHECK = "tests"
_OTHER_FORMATS = frozenset({"workspaces", "solutions", "checks", "challenges", "benchmarks"})
"""Folders straight in a folder of tasks whose content belongs to tasks of other formats."""


class VerifiedFormat:
    """Reads verified tasks."""

    name = "verified"

    def find(self, folder: Path) -> Sequence[Path]:
        """Every task.json or task.yaml below the folder; what lies below a task is its own."""
        return sorted(_find(folder, top=True))

    def load(self, path: Path, folder: Path) -> Task:
        """The task in a file's folder. Raises ``FileError`` for anything that its structure lacks.

        A missing SPEC.md is an empty instruction: no agent is given such a task, and ``validate`` says so.
        """
        located = load_yaml(read_task_text(path), path)
        keys = parse(located, VerifiedKeys)
        source = TaskSource(located, path.parent.resolve())
        if keys.id != source.base.name:
            raise source.error(f"found '{keys.id}', expected the name of its folder, '{source.base.name}'", ("id",))
        try:
            toolchain = toolchain_of(keys.language)
        except UsageError as error:
            raise source.error(error.message, ("language",), hint=error.hint) from error
        _check_structure(keys, source)
        return _task(keys, toolchain, source)


def _find(folder: Path, *, top: bool) -> Iterator[Path]:
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    if not top:
        own = [entry for entry in entries if entry.name in TASK_FILES and entry.is_file()]
        if own:
            yield Path(own[0].path)
            return
    for entry in entries:
        skipped = entry.name.startswith(".") or is_ignored_folder(entry.name) or (top and entry.name in _OTHER_FORMATS)
        if entry.is_dir(follow_symlinks=False) and not skipped:
            yield from _find(Path(entry.path), top=False)


def _check_structure(keys: VerifiedKeys, source: TaskSource) -> None:
    """All that a task must have, said at once."""
    problems = [
        f"{name}/ is missing or empty" for name in ("workspace", HIDDEN, "solution") if not _files(source, name)
    ]
    workspace = set(_files(source, "workspace"))
    problems += [f"entrypoint '{path}' is not in workspace/" for path in keys.entrypoint_files if path not in workspace]
    problems += _shared_names(source)
    if any(path.split("/")[0] == "tests" or path == SPEC for path in workspace):
        problems.append(f"workspace/ holds tests/ or {SPEC}: those places are the harness's")
    if problems:
        raise FileError(source.located.path, "; ".join(problems), hint="see docs/task-authoring.md for the layout")


def _files(source: TaskSource, name: str) -> list[str]:
    place = source.base / name
    return material(place) if place.is_dir() and not place.is_symlink() else []


def _shared_names(source: TaskSource) -> list[str]:
    """Test files of one name: several runners take one for the other. Hidden files are exempt."""
    seen: dict[str, str] = {}
    problems = []
    for folder in (PUBLIC, HIDDEN):
        for path in _files(source, folder):
            name, place = Path(path).name, f"{folder}/{path}"
            if name.startswith(".") or name == "__init__.py":
                continue
            if name in seen:
                problems.append(f"{seen[name]} and {place} have the same name")
            seen.setdefault(name, place)
    return problems


def _task(keys: VerifiedKeys, toolchain: str, source: TaskSource) -> Task:
    base, path = source.base, source.located.path
    has_spec = (source.base / SPEC).is_file()
    optional = [*([SPEC] if has_spec else []), *([PUBLIC] if _files(source, PUBLIC) else [])]
    names = [*optional, "workspace", HIDDEN, "solution"]
    visible = {name: base / name for name in (PUBLIC, SPEC) if name in names}
    options = {
        "fail_to_pass": list(keys.fail_to_pass),
        "pass_to_pass": list(keys.pass_to_pass),
        "entrypoint_files": list(keys.entrypoint_files),
        "timeout_sec": keys.timeout_s,
        "lint": dict(keys.lint),
    }
    return Task(
        id=keys.id,
        format=VerifiedFormat.name,
        digest=task_digest([("task", path), *((name, base / name) for name in names)]),
        title=keys.title,
        instruction=read_task_text(base / SPEC) if has_spec else "",
        kind=keys.kind,
        language=keys.language,
        difficulty=keys.difficulty,
        tags=keys.tags,
        limits=Limits(agent_sec=float(keys.timeout_s)),
        workspace=base / "workspace",
        visible=visible,
        withheld={HIDDEN: base / HIDDEN},
        protected=keys.protected,
        toolchain=toolchain,
        environment=Environment(**keys.environment.model_dump()),
        checks=(Check(name=CHECK, grader="withheld_tests", options=options, weight=1.0),),
        policy=Policy(name="all_of"),
        solution=base / "solution",
        hidden=(base / HIDDEN, base / "solution", path),
        source=path.resolve(),
    )
