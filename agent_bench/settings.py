"""Settings: command line > environment > ``agent-bench.toml`` > default, each value with its source."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from agent_bench.errors import FileError, UsageError, unknown_name

SETTINGS_FILE = "agent-bench.toml"
ENVIRONMENT_PREFIX = "AGENT_BENCH_"


@dataclass(frozen=True)
class Setting:
    """What can be set: its type, its default, and what it is for."""

    type: Any
    default: Any
    about: str


KNOWN: Mapping[str, Setting] = {
    "tasks": Setting(Path, None, "folder of tasks; instead of ./tasks and the shipped ones"),
    "runs": Setting(Path, Path("runs"), "folder that trials are kept in"),
    "db": Setting(str, "bench.db", "the history: a SQLite file, or a postgresql+psycopg:// URL"),
    "cache_dir": Setting(Path, None, "folder for environments that are made once"),
    "pricing": Setting(Path, None, "price list laid over the shipped one"),
    "max_concurrent": Setting(int, 3, "trials that run at the same time"),
    "attempts": Setting(int, 1, "trials per agent and task"),
    "timeout": Setting(float, None, "limit for each agent in seconds; the task's own limit, if smaller, holds"),
    "retries": Setting(int, 2, "how often a trial is repeated after a fault of ours or the provider's"),
    "sandbox": Setting(str, "auto", "auto, bubblewrap or local"),
    "grade_repeats": Setting(int, 1, "how often each output is graded, to find gradings that disagree"),
    "network": Setting(Literal["open", "none"], "open", "what agents can reach: open or none; graders reach nothing"),
    "judge": Setting(bool, True, "whether a model judges the outcome (needs ANTHROPIC_API_KEY)"),
    "judge_model": Setting(str, "claude-sonnet-4-6", "the model that judges"),
    "seed": Setting(int, 0, "seed of the order in which trials start"),
}

_AT_LEAST = {"max_concurrent": 1, "attempts": 1, "retries": 0, "grade_repeats": 1}


@dataclass(frozen=True)
class Value:
    """A resolved setting."""

    value: Any
    source: str
    """``command line``, the environment variable's name, the file's path, or ``default``."""


@dataclass(frozen=True)
class Settings:
    """All settings, resolved."""

    values: Mapping[str, Value]

    def __getitem__(self, name: str) -> Any:
        return self.values[name].value


def resolve(command_line: Mapping[str, Any], environ: Mapping[str, str], folder: Path | None = None) -> Settings:
    """Settings from the three sources and the defaults.

    ``command_line`` may hold None for options that were not given. Raises ``UsageError`` or ``FileError``.
    """
    path = (folder or Path()) / SETTINGS_FILE
    from_file = _read_file(path)
    values = {}
    for name, setting in KNOWN.items():
        variable = ENVIRONMENT_PREFIX + name.upper()
        if command_line.get(name) is not None:
            value = Value(_checked(name, command_line[name], f"--{name.replace('_', '-')}"), "command line")
        elif environ.get(variable):
            value = Value(_checked(name, environ[variable], variable), variable)
        elif name in from_file:
            value = Value(_from_file(name, from_file[name], path), str(path))
        else:
            value = Value(setting.default, "default")
        values[name] = value
    return Settings(values)


def _read_file(path: Path) -> Mapping[str, Any]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise FileError(path, f"not readable as TOML: {error}") from error
    for key in data:
        if key not in KNOWN:
            problem = unknown_name("setting", key, list(KNOWN))
            raise FileError(path, problem.message, hint=problem.hint)
    return data


def _from_file(name: str, value: Any, path: Path) -> Any:
    try:
        checked = _checked(name, value, name)
    except UsageError as error:
        raise FileError(path, error.message, hint=error.hint) from error
    # A path in a settings file is meant from that file.
    return path.parent / checked if isinstance(checked, Path) else checked


def _checked(name: str, value: Any, shown: str) -> Any:
    kind = KNOWN[name].type
    try:
        checked = TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        expected = " or ".join(get_args(kind)) or kind.__name__
        raise UsageError(f"{shown}: found {value!r}, expected {expected}", KNOWN[name].about) from error
    least = _AT_LEAST.get(name)
    if least is not None and checked < least:
        raise UsageError(f"{shown}: found {checked}, expected at least {least}", KNOWN[name].about)
    if name == "timeout" and not 0 < checked < float("inf"):
        raise UsageError(f"{shown}: found {checked}, expected a positive number of seconds")
    return checked
