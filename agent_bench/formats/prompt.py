"""Prompt tasks: one YAML file each, straight in the folder of tasks. The form is that of seed 002, with additions.

``docs/task-authoring.md`` describes every key.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from packaging.requirements import InvalidRequirement, Requirement
from pydantic import AfterValidator, BeforeValidator, Field, StrictFloat, StrictInt, StrictStr

from agent_bench.errors import FileError
from agent_bench.formats.digest import material, task_digest
from agent_bench.model import Check, Environment, Frozen, Limits, Task
from agent_bench.readers.strict_yaml import Located, load_yaml, parse

DEFAULT_WEIGHTS: Mapping[str, float] = {
    "files": 0.30,
    "imports": 0.15,
    "ruff": 0.10,
    "pytest": 0.20,
    "judge": 0.25,
}
"""The checks that every prompt task has, with their weights (seed 002)."""

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*)*")
_NAME = re.compile(r"[a-z][a-z0-9_]*")

Number = StrictInt | StrictFloat


def _id(value: str) -> str:
    if not _ID.fullmatch(value):
        raise ValueError("lower-case letters, digits, '_' and '-', in parts joined by '/'")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("text")
    return value


def _listed(value: Any) -> Any:
    """A single name stands for a list of one."""
    return [value] if isinstance(value, str) else value


def _file_name(value: str) -> str:
    path = PurePosixPath(value)
    if not value.strip() or path.is_absolute() or ".." in path.parts or "\\" in value:
        raise ValueError("a relative path with '/' and without '..'")
    return value


def _requirement(value: str) -> str:
    try:
        Requirement(value)
    except InvalidRequirement as error:
        raise ValueError(f"a requirement such as 'flask>=3,<4' ({error})") from error
    return value


def _python(value: str) -> str:
    if not re.fullmatch(r"3\.\d{1,2}", value):
        raise ValueError('a version such as "3.12", in quotes')
    return value


Text = Annotated[StrictStr, AfterValidator(_not_blank)]
FileName = Annotated[StrictStr, AfterValidator(_file_name)]
Seconds = Annotated[Number, Field(gt=0, le=86_400)]
Weight = Annotated[Number, Field(ge=0, le=1_000)]


class _Criteria(Frozen):
    files_produced_min: Annotated[StrictInt, Field(ge=0)] = 1
    must_contain_file: Annotated[tuple[FileName, ...], BeforeValidator(_listed)] = ()


class _Environment(Frozen):
    python: Annotated[StrictStr, AfterValidator(_python)] | None = None
    requirements: tuple[Annotated[StrictStr, AfterValidator(_requirement)], ...] = ()


class _Check(Frozen):
    grader: Literal["files", "imports", "ruff", "pytest", "judge", "command"]
    name: StrictStr | None = None
    weight: Weight | None = None
    timeout_sec: Seconds | None = None
    command: StrictStr | tuple[StrictStr, ...] | None = None
    files: FileName | None = None


class _Document(Frozen):
    """The keys of a prompt task."""

    id: Annotated[StrictStr, AfterValidator(_id)]
    prompt: Text
    timeout_sec: Seconds = 600
    success_criteria: _Criteria = _Criteria()
    title: Text | None = None
    language: StrictStr | None = None
    difficulty: Literal["easy", "medium", "hard"] | None = None
    tags: tuple[StrictStr, ...] = ()
    environment: _Environment = _Environment()
    workspace: FileName | None = None
    solution: FileName | None = None
    weights: Mapping[str, Weight] = Field(default_factory=dict)
    checks: tuple[_Check, ...] = ()


_OPTIONS = {"pytest": {"timeout_sec"}, "command": {"timeout_sec", "command", "files"}}
"""What may be set for which grader, besides its name and weight."""


class PromptFormat:
    """Reads prompt tasks."""

    name = "prompt"

    def find(self, folder: Path) -> Sequence[Path]:
        """The YAML files straight in the folder."""
        return sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".yml") and path.is_file())

    def load(self, path: Path, folder: Path) -> Task:
        """The task in a file."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(path, f"not readable: {error}") from error
        located = load_yaml(text, path)
        document = parse(located, _Document)
        return _Builder(located, document, folder.resolve()).task()


class _Builder:
    """Turns a document into a task; each method raises ``FileError`` with the line."""

    def __init__(self, located: Located, document: _Document, folder: Path) -> None:
        self._located = located
        self._document = document
        self._folder = folder

    def task(self) -> Task:
        document, source = self._document, self._located.path.resolve()
        workspace = self._place(document.workspace, ("workspace",))
        solution = self._place(document.solution, ("solution",))
        checks = self._checks()
        scripts = [Path(check.options["files"]) for check in checks if "files" in check.options]
        named = [("task", source), ("workspace", workspace), ("solution", solution)]
        named += [(f"check/{number}", place) for number, place in enumerate(scripts)]
        return Task(
            id=document.id,
            format=PromptFormat.name,
            digest=task_digest((name, place) for name, place in named if place is not None),
            title=document.title or document.id.replace("_", " ").replace("-", " "),
            instruction=document.prompt,
            language=document.language,
            difficulty=document.difficulty,
            tags=document.tags,
            limits=Limits(agent_sec=float(document.timeout_sec)),
            workspace=workspace,
            environment=Environment(**document.environment.model_dump()),
            checks=checks,
            solution=solution,
            hidden=tuple(place for place in (solution, *scripts) if place is not None),
            source=source,
        )

    def _place(self, relative: str | None, loc: tuple[str | int, ...]) -> Path | None:
        """A folder named in the task, which must be there and hold something."""
        if relative is None:
            return None
        place = (self._folder / relative).resolve()
        if not place.is_dir() or not place.is_relative_to(self._folder):
            raise self._error(f"found '{relative}', expected a folder in {self._folder}", loc)
        if not material(place):
            raise self._error(f"folder '{relative}' holds no file", loc)
        return place

    def _checks(self) -> tuple[Check, ...]:
        """The checks that every task has, changed and added to by the task's own."""
        criteria = self._document.success_criteria
        required = list(criteria.must_contain_file)
        found = {name: Check(name=name, grader=name, weight=weight) for name, weight in DEFAULT_WEIGHTS.items()}
        minimum = {"minimum": criteria.files_produced_min, "required": required}
        found["files"] = found["files"].model_copy(update={"options": minimum})
        own: set[str] = set()
        for number, entry in enumerate(self._document.checks):
            name = entry.name or entry.grader
            if name in own:
                raise self._error(f"a second check named '{name}'", ("checks", number))
            own.add(name)
            found[name] = self._check(entry, name, number, found.get(name))
        for name in self._document.weights:
            if name not in found:
                problem = f"no check named '{name}' (there are: {', '.join(found)})"
                raise self._error(problem, ("weights", name))
        weights = {name: float(self._document.weights.get(name, check.weight)) for name, check in found.items()}
        if not sum(weights.values()) > 0:
            raise self._error("no check has any weight", ("weights",))
        return tuple(check.model_copy(update={"weight": weights[name]}) for name, check in found.items())

    def _check(self, entry: _Check, name: str, number: int, default: Check | None) -> Check:
        loc = ("checks", number)
        if not _NAME.fullmatch(name):
            raise self._error(f"found '{name}', expected letters, digits and '_'", (*loc, "name"))
        if default is not None and default.grader != entry.grader:
            raise self._error(f"'{name}' is the name of the check by {default.grader}", (*loc, "name"))
        if default is None and entry.grader != "command":
            raise self._error(f"there is one check by {entry.grader}, named '{entry.grader}'", (*loc, "name"))
        given = entry.model_dump(exclude_none=True, exclude={"grader", "name", "weight"})
        for option in given:
            if option not in _OPTIONS.get(entry.grader, set()):
                raise self._error(f"the grader {entry.grader} has no such option", (*loc, option))
        if entry.grader == "command":
            if not entry.command:
                raise self._error("missing", (*loc, "command"))
            if (place := self._place(entry.files, (*loc, "files"))) is not None:
                given["files"] = str(place)
        weight = entry.weight if entry.weight is not None else default.weight if default else 0.0
        options = {**(default.options if default else {}), **given}
        return Check(name=name, grader=entry.grader, options=options, weight=float(weight))

    def _error(self, problem: str, loc: tuple[str | int, ...]) -> FileError:
        field = ".".join(str(part) for part in loc)
        return FileError(self._located.path, problem, field=field, line=self._located.line(loc))
