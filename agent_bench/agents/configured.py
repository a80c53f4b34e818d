"""Agents by configuration: ``agents/NAME.yaml``, or ``NAME=COMMAND`` on the command line."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import isodate
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    StrictFloat,
    StrictInt,
    StrictStr,
    Tag,
)

from agent_bench.agents.programs import with_absolute_programs
from agent_bench.agents.table import COMMAND, CONTROLS
from agent_bench.agents.template import Command, unsafe_placeholder
from agent_bench.agents.usage_fields import UsageReader
from agent_bench.errors import FileError, UsageError
from agent_bench.model import AgentSpec, Frozen
from agent_bench.readers.strict_yaml import load_yaml, parse

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_NAME_RULE = (
    "letters, digits, '.', '_' and '-', beginning with a letter or digit; not one of the controls"
    f" ({', '.join(CONTROLS)})"
)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SUFFIXES = (".yaml", ".yml")


def _seconds(value: Any) -> Any:
    """Seconds as a number, or a duration of ISO 8601 such as PT10M."""
    if not isinstance(value, str):
        return value
    try:
        return float(isodate.parse_duration(value).total_seconds())
    except (isodate.ISO8601Error, AttributeError, OverflowError) as error:
        raise ValueError("seconds, or a duration such as PT10M") from error


def _variable(value: str) -> str:
    if not _VARIABLE.fullmatch(value):
        raise ValueError("the name of a variable; its value stays in your environment")
    return value


def _safe(command: str | tuple[str, ...]) -> str | tuple[str, ...]:
    reason = unsafe_placeholder(command)
    if reason:
        raise ValueError(f"a command that can be filled in: {reason}")
    if not (command.strip() if isinstance(command, str) else command and command[0].strip()):
        raise ValueError("a command")
    return command


def _usage_form(value: Any) -> str:
    """Which of the two forms of ``usage`` is meant, so that a mistake is told in that form's words."""
    return "str" if isinstance(value, str) else "[fields]"


_Usage = Annotated[
    Annotated[Literal["claude-code"], Tag("str")] | Annotated[UsageReader, Tag("[fields]")],
    Discriminator(_usage_form),
]
_Command = Annotated[StrictStr | tuple[StrictStr, ...], AfterValidator(_safe)]


class _Document(Frozen):
    """``agents/NAME.yaml``: see docs/agents.md."""

    command: _Command
    timeout: Annotated[StrictInt | StrictFloat | None, BeforeValidator(_seconds), Field(gt=0, allow_inf_nan=False)] = (
        None
    )
    model: StrictStr | None = None
    env: tuple[Annotated[StrictStr, AfterValidator(_variable)], ...] = ()
    version: _Command | None = None
    programs: tuple[StrictStr, ...] = ()
    usage: _Usage | None = None


def read_configured(folders: Sequence[Path]) -> tuple[list[AgentSpec], list[FileError]]:
    """The agents configured in the folders, and the files that cannot be read; a bad one hides no other.

    Of two files with one name the first folder's holds.
    """
    specs: dict[str, AgentSpec] = {}
    problems: list[FileError] = []
    for folder in folders:
        found: dict[str, Path] = {}
        for path in sorted(path for suffix in _SUFFIXES for path in folder.glob(f"*{suffix}")):
            try:
                if path.stem in found:
                    raise FileError(path, f"agent '{path.stem}' is defined in {found[path.stem].name} already")
                found[path.stem] = path
                specs.setdefault(path.stem, _read(path))
            except FileError as problem:
                problems.append(problem)
    return list(specs.values()), problems


def _read(path: Path) -> AgentSpec:
    if not _is_name(path.stem):
        raise FileError(path, f"'{path.stem}' cannot be an agent's name", hint=_NAME_RULE)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path, f"not readable: {error}") from error
    document = parse(load_yaml(text, path), _Document)
    base = path.parent.absolute()
    options: dict[str, Any] = {"command": with_absolute_programs(document.command, base)}
    if document.version is not None:
        options["version"] = with_absolute_programs(document.version, base)
    if document.programs:
        options["programs"] = tuple(_absolute(name, base) for name in document.programs)
    if document.usage is not None:
        options["usage"] = document.usage if isinstance(document.usage, str) else document.usage.model_dump()
    return AgentSpec(
        name=path.stem,
        adapter=COMMAND,
        model=document.model,
        options=options,
        env=document.env,
        timeout_sec=None if document.timeout is None else float(document.timeout),
    )


def parse_agent_option(text: str, base: Path) -> AgentSpec:
    """The agent in ``NAME=COMMAND``; relative programs are meant from ``base``. Raises ``UsageError``."""
    name, _, command = text.partition("=")
    if not _is_name(name):
        raise UsageError(f"--agent: '{name}' cannot be an agent's name", _NAME_RULE)
    if not command.strip():
        raise UsageError(f"--agent: no command for '{name}'", "for example: --agent 'mine=./my-agent {prompt}'")
    try:
        shlex.split(command, comments=True)
    except ValueError as error:
        raise UsageError(f"--agent {name}: the command's quotes do not match: {error}") from error
    reason = unsafe_placeholder(command)
    if reason:
        raise UsageError(f"--agent {name}: {reason}")
    whole: Command = with_absolute_programs(command, base.absolute())
    return AgentSpec(name=name, adapter=COMMAND, options={"command": whole})


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name not in CONTROLS


def _absolute(name: str, base: Path) -> str:
    """A program's path in full; a bare name is looked for on the PATH."""
    return str((base / Path(name).expanduser()).absolute()) if "/" in name else name
