"""The checks of a prompt task: those that every one has, changed and added to by its own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent_bench.errors import FileError, unknown_name
from agent_bench.formats.prompt_keys import CheckKeys, PromptKeys
from agent_bench.formats.task_source import TaskSource
from agent_bench.model import Check

DEFAULT_WEIGHTS: Mapping[str, float] = {
    "files": 0.30,
    "imports": 0.15,
    "ruff": 0.10,
    "pytest": 0.20,
    "judge": 0.25,
}
"""The checks that every prompt task has, with their weights (seed 002)."""

COMMAND = "command"
"""The grader that a task may use any number of times, under names of its own."""

_OPTIONS: Mapping[str, frozenset[str]] = {
    "pytest": frozenset({"timeout_sec"}),
    COMMAND: frozenset({"timeout_sec", "command", "files"}),
}
"""What may be set for which grader, besides its name and weight."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def checks_of(keys: PromptKeys, source: TaskSource) -> tuple[Check, ...]:
    """The checks, each with its weight; those of weight 0 are switched off and left out. Raises ``FileError``."""
    own = _own_checks(keys, source)
    weights = {**DEFAULT_WEIGHTS, **own.weights}
    for name in keys.weights:
        if name not in {*weights, *own.checks}:
            problem = unknown_name("check", name, [*weights, *own.checks])
            raise source.error(problem.message, ("weights", name), hint=problem.hint)
    weights.update({name: float(weight) for name, weight in keys.weights.items()})
    found = {**_default_checks(keys), **own.checks}
    for name, loc in own.places.items():
        if name not in weights:
            raise source.error("missing", (*loc, "weight"), hint="its share of the score; the others' sum to 1.0")
    if not sum(weights.values()) > 0:
        raise source.error("no check has any weight", ("weights",))
    return tuple(check.model_copy(update={"weight": weights[name]}) for name, check in found.items() if weights[name])


def _default_checks(keys: PromptKeys) -> dict[str, Check]:
    criteria = keys.success_criteria
    options = {"files": {"minimum": criteria.files_produced_min, "required": list(criteria.must_contain_file)}}
    return {name: Check(name=name, grader=name, options=options.get(name, {})) for name in DEFAULT_WEIGHTS}


@dataclass(frozen=True)
class _Own:
    """What a task says of its checks."""

    checks: dict[str, Check] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    places: dict[str, tuple[str | int, ...]] = field(default_factory=dict)


def _own_checks(keys: PromptKeys, source: TaskSource) -> _Own:
    own = _Own()
    defaults = _default_checks(keys)
    for number, entry in enumerate(keys.checks):
        loc = ("checks", number)
        name = entry.name or entry.grader
        _check_name(name, entry, loc, source)
        if name in own.places:
            raise source.error(f"a second check named '{name}'", loc)
        options = {**(defaults[name].options if name in defaults else {}), **_options(entry, loc, source)}
        own.checks[name] = Check(name=name, grader=entry.grader, options=options)
        own.places[name] = loc
        if entry.weight is not None:
            own.weights[name] = float(entry.weight)
    return own


def _check_name(name: str, entry: CheckKeys, loc: tuple[str | int, ...], source: TaskSource) -> None:
    place = (*loc, "name")
    if not _NAME.fullmatch(name):
        raise source.error(f"found '{name}', expected lower-case letters, digits and '_'", place)
    if name in DEFAULT_WEIGHTS and name != entry.grader:
        raise source.error(f"'{name}' is the name of the check by the grader {name}", place)
    if name not in DEFAULT_WEIGHTS and entry.grader != COMMAND:
        raise source.error(f"there is one check by the grader {entry.grader}, and it is named so", place)


def _options(entry: CheckKeys, loc: tuple[str | int, ...], source: TaskSource) -> dict[str, object]:
    """The options of an entry, its folder in full."""
    given = entry.model_dump(exclude_none=True, exclude={"grader", "name", "weight"})
    allowed = _OPTIONS.get(entry.grader, frozenset())
    for option in given:
        if option not in allowed:
            has = f"it has: {', '.join(sorted(allowed))}" if allowed else "it has none"
            raise source.error(f"no option of the grader {entry.grader}", (*loc, option), hint=has)
    if entry.grader == COMMAND:
        given.update(_folder(entry, loc, source))
    return given


def _folder(entry: CheckKeys, loc: tuple[str | int, ...], source: TaskSource) -> dict[str, str]:
    if not entry.command:
        raise _missing("command", "what to run; exit code 0 passes", loc, source)
    if entry.files is not None:
        folder: Path = source.folder(entry.files, (*loc, "files"))
        return {"files": str(folder)}
    words = (entry.command,) if isinstance(entry.command, str) else entry.command
    if any("{files}" in word for word in words):
        raise _missing("files", "the folder that {files} in the command stands for", loc, source)
    return {}


def _missing(key: str, hint: str, loc: tuple[str | int, ...], source: TaskSource) -> FileError:
    return source.error("missing", (*loc, key), hint=hint)
