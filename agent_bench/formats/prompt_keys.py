"""The keys of a prompt task. ``docs/task-authoring.md`` describes each for its author."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from packaging.requirements import InvalidRequirement, Requirement
from pydantic import AfterValidator, BeforeValidator, Field, StrictFloat, StrictInt, StrictStr

from agent_bench.model import Frozen

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*)*")
ID_RULE = "lower-case letters, digits, '_' and '-', in parts joined by '/'"
MAX_ID_CHARS = 120


def is_task_id(text: str) -> bool:
    """Whether it may be the id of a task, and so the name of folders."""
    return len(text) <= MAX_ID_CHARS and _ID.fullmatch(text) is not None


def checked_id(value: str) -> str:
    """The id, if it may be one. Raises ``ValueError``."""
    if not is_task_id(value):
        raise ValueError(f"{ID_RULE}, {MAX_ID_CHARS} characters at most")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("text that is not blank")
    return value


def _listed(value: Any) -> Any:
    """A single name stands for a list of one."""
    return [value] if isinstance(value, str) else value


def _inside(value: str) -> str:
    path = PurePosixPath(value)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\\" in value or not value.isprintable():
        raise ValueError("a relative path with '/' and without '..'")
    return value


def _file_name(value: str) -> str:
    if value.endswith("/"):
        raise ValueError("the name of a file, not of a folder")
    return _inside(value)


def _requirement(value: str) -> str:
    try:
        url = Requirement(value).url
    except InvalidRequirement as error:
        raise ValueError("a requirement such as 'flask>=3,<4'") from error
    if url:
        raise ValueError("a package by its name, without a URL")
    return value


def _python(value: str) -> str:
    if not re.fullmatch(r"3\.[1-9]?\d", value):
        raise ValueError('a version such as "3.12", in quotes')
    return value


Text = Annotated[StrictStr, AfterValidator(_not_blank)]
FileName = Annotated[StrictStr, AfterValidator(_file_name)]
Folder = Annotated[StrictStr, AfterValidator(_inside)]
"""Relative to the folder that the task's file is in."""
Number = StrictInt | StrictFloat
Seconds = Annotated[Number, Field(gt=0, le=86_400)]
Weight = Annotated[Number, Field(ge=0, le=1_000)]


class Criteria(Frozen):
    """``success_criteria``: what the check ``files`` looks for."""

    files_produced_min: Annotated[StrictInt, Field(ge=0)] = 1
    must_contain_file: Annotated[tuple[FileName, ...], BeforeValidator(_listed)] = ()


class EnvironmentKeys(Frozen):
    """``environment``: what the code needs when it is graded."""

    python: Annotated[StrictStr, AfterValidator(_python)] | None = None
    requirements: tuple[Annotated[StrictStr, AfterValidator(_requirement)], ...] = ()


class CheckKeys(Frozen):
    """An entry of ``checks``. Which options go with which grader: ``formats.prompt_checks``."""

    grader: Literal["files", "imports", "ruff", "pytest", "judge", "command"]
    name: StrictStr | None = None
    weight: Weight | None = None
    timeout_sec: Seconds | None = None
    command: Text | tuple[Text, ...] | None = None
    files: Folder | None = None


class PromptKeys(Frozen):
    """A prompt task, as its author writes it."""

    id: Annotated[StrictStr, AfterValidator(checked_id)]
    prompt: Text
    timeout_sec: Seconds = 600
    success_criteria: Criteria = Criteria()
    title: Text | None = None
    language: Text | None = None
    difficulty: Literal["easy", "medium", "hard"] | None = None
    tags: tuple[Text, ...] = ()
    environment: EnvironmentKeys = EnvironmentKeys()
    workspace: Folder | None = None
    solution: Folder | None = None
    weights: Mapping[str, Weight] = Field(default_factory=dict)
    checks: tuple[CheckKeys, ...] = ()
