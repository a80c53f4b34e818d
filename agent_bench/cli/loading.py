"""From settings to the things that commands work with."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from agent_bench.agents.configured import parse_agent_option, read_configured
from agent_bench.agents.table import default_specs
from agent_bench.catalog import Catalog, discover
from agent_bench.cli.output import note
from agent_bench.costs.pricing import PriceTable, parse_prices
from agent_bench.errors import FileError, unknown_name
from agent_bench.history.store import History, open_history
from agent_bench.model import AgentSpec, Task
from agent_bench.settings import Settings, resolve
from agent_bench.shipped import shipped
from agent_bench.toolchains.table import find_toolchain


def load_settings(command_line: Mapping[str, Any]) -> Settings:
    """The settings of this invocation."""
    return resolve(command_line, os.environ)


def task_folders(settings: Settings) -> list[Path]:
    """Where tasks are looked for, the first hiding the later ones: ./tasks, then the shipped; or the one asked for."""
    if settings["tasks"] is not None:
        folder: Path = settings["tasks"]
        if not folder.is_dir():
            raise FileError(folder, "not a folder of tasks")
        return [folder]
    own = Path("tasks")
    return [own, shipped("tasks")] if own.is_dir() else [shipped("tasks")]


def load_catalog(settings: Settings) -> Catalog:
    """All tasks that can be read, and the problems of the others."""
    return discover(task_folders(settings))


def load_prices(settings: Settings) -> PriceTable:
    """The shipped prices, with those of ./pricing.toml or of the file asked for laid over them."""
    path = shipped("pricing.toml")
    table = parse_prices(_read_text(path), path)
    own: Path = settings["pricing"] or Path("pricing.toml")
    if settings["pricing"] is not None and not own.is_file():
        raise FileError(own, "no such price list")
    if own.is_file() and own.resolve() != path.resolve():
        table = parse_prices(_read_text(own), own, base=table)
    return table


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path, f"not readable: {error}") from error


def known_agents() -> tuple[list[AgentSpec], list[FileError]]:
    """The built-in agents and those of ./agents/*.yaml, by name; and the files that could not be read."""
    configured, problems = read_configured([Path("agents")])
    names = {spec.name for spec in configured}
    built_in = [spec for spec in default_specs(os.environ) if spec.name not in names]
    return [*built_in, *configured], problems


def load_roster(wanted: Sequence[str]) -> list[AgentSpec]:
    """The agents asked for by name or as NAME=COMMAND; none asked for: all there are."""
    known, problems = known_agents()
    report_problems(problems, "agent")
    if not wanted:
        return known
    by_name = {spec.name: spec for spec in known}
    bad = {problem.path.stem: problem for problem in problems}
    roster: dict[str, AgentSpec] = {}
    for text in wanted:
        if "=" in text:
            spec = parse_agent_option(text, Path.cwd())
        elif text in by_name:
            spec = by_name[text]
        elif text in bad:
            raise bad[text]
        else:
            raise unknown_name("agent", text, list(by_name))
        roster[spec.name] = spec
    return list(roster.values())


def report_problems(problems: Sequence[FileError], kind: str) -> None:
    """Tells on stderr which files could not be read."""
    for problem in problems:
        note(f"warning: {kind} left out: {problem.message}", style="yellow")


def cache_folder(settings: Settings) -> Path:
    """Where environments are kept that are made once."""
    folder: Path = settings["cache_dir"] or user_cache_path("agent-bench")
    folder.mkdir(parents=True, exist_ok=True)
    return folder.absolute()


def open_store(settings: Settings) -> History:
    """The history that the settings name."""
    return open_history(settings["db"])


def missing_toolchains(tasks: Sequence[Task]) -> dict[str, str]:
    """Id of each task whose toolchain is not on this machine -> what is missing, and how to install it."""
    names = {task.toolchain for task in tasks if task.toolchain}
    reasons = {name: find_toolchain(name).unavailable(os.environ) for name in names}
    found = {task.id: reasons[task.toolchain] for task in tasks if task.toolchain}
    return {task_id: reason for task_id, reason in found.items() if reason}
