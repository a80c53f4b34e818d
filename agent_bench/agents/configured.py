"""Agents by configuration: ``agents/NAME.yaml``, or ``NAME=COMMAND`` on the command line."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import isodate
from pydantic import AfterValidator, BeforeValidator, Field, StrictFloat, StrictInt, StrictStr

from agent_bench.agents.table import COMMAND, CONTROLS
from agent_bench.errors import FileError, UsageError
from agent_bench.model import AgentSpec, Frozen
from agent_bench.readers.strict_yaml import load_yaml, parse

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INTERPRETERS = re.compile(r"(python|pypy|node|deno|bun|ruby|perl|php|bash|sh|dash|zsh)[\d.]*")


def _seconds(value: Any) -> Any:
    """Seconds as a number, or a duration of ISO 8601 such as PT10M."""
    if not isinstance(value, str):
        return value
    try:
        return float(isodate.parse_duration(value).total_seconds())
    except (isodate.ISO8601Error, AttributeError) as error:
        raise ValueError("seconds, or a duration such as PT10M") from error


def _variable(value: str) -> str:
    if not _VARIABLE.fullmatch(value):
        raise ValueError("the name of a variable (its value stays in your environment)")
    return value


class _Usage(Frozen):
    source: StrictStr
    """``stdout``, ``stderr``, or a glob under the agent's HOME."""
    format: Literal["json", "jsonl"] = "jsonl"
    combine: Literal["sum", "last"] = "last"
    fields: Mapping[
        Literal[
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
            "model",
            "cost_usd",
            "final_message",
        ],
        StrictStr,
    ]


class _Document(Frozen):
    command: Annotated[StrictStr, Field(min_length=1)] | Annotated[tuple[StrictStr, ...], Field(min_length=1)]
    timeout: Annotated[StrictInt | StrictFloat | None, BeforeValidator(_seconds), Field(gt=0)] = None
    model: StrictStr | None = None
    env: tuple[Annotated[StrictStr, AfterValidator(_variable)], ...] = ()
    usage: Literal["claude-code"] | _Usage | None = None


def read_configured(folders: Sequence[Path]) -> tuple[list[AgentSpec], list[FileError]]:
    """The agents configured in the folders, and the files that cannot be read; a bad one hides no other."""
    specs: dict[str, AgentSpec] = {}
    problems: list[FileError] = []
    for folder in folders:
        for path in sorted(folder.glob("*.y*ml")) if folder.is_dir() else []:
            try:
                spec = _read(path)
            except FileError as problem:
                problems.append(problem)
            else:
                specs.setdefault(spec.name, spec)
    return list(specs.values()), problems


def _read(path: Path) -> AgentSpec:
    if not _NAME.fullmatch(path.stem) or path.stem in CONTROLS:
        raise FileError(path, f"'{path.stem}' cannot be an agent's name: {_name_rule()}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path, f"not readable: {error}") from error
    document = parse(load_yaml(text, path), _Document)
    options = _command_options(document.command, path.parent)
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
    if not _NAME.fullmatch(name) or name in CONTROLS:
        raise UsageError(f"--agent: '{name}' cannot be an agent's name", _name_rule())
    if not command.strip():
        raise UsageError(f"--agent: no command for '{name}'", "for example: --agent 'mine=./my-agent {prompt}'")
    try:
        return AgentSpec(name=name, adapter=COMMAND, options=_command_options(command, base))
    except ValueError as error:
        raise UsageError(f"--agent {name}: the command's quotes do not match: {error}") from error


def _name_rule() -> str:
    return f"letters, digits, '.', '_' and '-', and not one of the controls ({', '.join(CONTROLS)})"


def _command_options(command: str | tuple[str, ...], base: Path) -> dict[str, Any]:
    """The command with its relative programs made absolute (it runs in the workspace), and their paths."""
    words = shlex.split(command) if isinstance(command, str) else list(command)
    programs = _programs(words, base)
    for word, path in programs.items():
        if isinstance(command, str):
            # The word as it stands in the command, not within another one.
            pattern = rf"(?<![\w./-]){re.escape(word)}(?![\w./-])"
            command = re.sub(pattern, lambda _, path=path: shlex.quote(path), command, count=1)  # type: ignore[misc]
        else:
            command = tuple(path if item == word else item for item in command)
    return {"command": command, "programs": tuple(programs.values())}


def _programs(words: list[str], base: Path) -> dict[str, str]:
    """The programs of a command that are given by path: word -> absolute path.

    The program itself and, where it is an interpreter, the script that it is to run.
    """
    found: dict[str, str] = {}
    candidates = words[:1]
    if words and _INTERPRETERS.fullmatch(Path(words[0]).name):
        candidates += _script(words[1:])
    for word in candidates:
        path = Path(word).expanduser()
        is_given_by_path = "/" in word or (word != words[0] and (base / path).is_file())
        if is_given_by_path and "{" not in word:
            found[word] = str((base / path).absolute())
    return found


def _script(arguments: list[str]) -> list[str]:
    """The script among an interpreter's arguments, if it is not given a program as text or a module."""
    for word in arguments:
        if not word.startswith("-"):
            return [word]
        if re.fullmatch(r"-[a-zA-Z]*[cemp]|--eval|--print|--module", word):
            return []
    return []
