"""``agent-bench doctor``: what works on this machine, and what to do about the rest."""

import os
import platform
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import typer
from rich.text import Text

from agent_bench.agents.interface import Probe
from agent_bench.cli import options
from agent_bench.cli.agents import probe_agents
from agent_bench.cli.loading import (
    cache_folder,
    known_agents,
    load_catalog,
    load_prices,
    load_settings,
    open_store,
)
from agent_bench.cli.output import cells, emit_json, results_console, show, table
from agent_bench.errors import AgentBenchError
from agent_bench.history.opening import shown_place
from agent_bench.reports import figures
from agent_bench.sandboxes.table import find_sandbox, sandbox_names
from agent_bench.settings import Settings
from agent_bench.toolchains.table import find_toolchain, toolchain_names

app = typer.Typer(add_completion=False)

_LEAST_FREE_BYTES = 2 << 30


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    found: str
    """What was found and, if it is not well, what to do."""
    needed: bool = False
    """Without it the main job does not work at all."""


@app.command()
def doctor(db: options.DbOption = None, json: options.JsonOption = False) -> None:
    """What works on this machine, and what to do about the rest. Exit 1 if the main job cannot work."""
    settings = load_settings({"db": db})
    specs, problems = known_agents()
    findings = [
        Finding("python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        *_sandboxes(),
        *_programs(),
        *_toolchains(),
        _judge(settings),
        _disk(settings),
        *_files(settings),
        *_agents(probe_agents(specs)),
        *(Finding(f"agents/{problem.path.name}", False, problem.message) for problem in problems),
    ]
    if json:
        emit_json({"findings": [asdict(item) for item in findings], "settings": _settings_json(settings)})
    else:
        _print(findings, settings)
    if any(item.needed and not item.ok for item in findings):
        raise typer.Exit(1)


def _sandboxes() -> list[Finding]:
    found = []
    for name in sandbox_names():
        sandbox = find_sandbox(name)
        reason = sandbox.unavailable()
        hides = "hides the host's files" if sandbox.hides_host else "plain processes: hides nothing"
        found.append(Finding(f"sandbox {name}", reason is None, reason or hides))
    return found


def _programs() -> list[Finding]:
    git = shutil.which("git")
    return [Finding("git", git is not None, git or "not found: some agents want it; apt-get install git")]


def _toolchains() -> list[Finding]:
    """What runs the withheld tests of each language."""
    found = []
    for name in toolchain_names():
        toolchain = find_toolchain(name)
        reason = toolchain.unavailable(os.environ)
        found.append(Finding(f"toolchain {name}", reason is None, reason or f"for {toolchain.language}"))
    return found


def _judge(settings: Settings) -> Finding:
    if not settings["judge"]:
        return Finding("judge", True, "switched off")
    key = bool(os.environ.get("ANTHROPIC_API_KEY"))
    missing = "no key: the signal is not observed; export ANTHROPIC_API_KEY=..."
    return Finding("judge", key, settings["judge_model"] if key else missing)


def _disk(settings: Settings) -> Finding:
    runs: Path = settings["runs"]
    place = next(folder for folder in (runs.absolute(), *runs.absolute().parents) if folder.exists())
    free = shutil.disk_usage(place).free
    return Finding("free disk", free > _LEAST_FREE_BYTES, f"{free / 2**30:.1f} GiB at {place}")


def _files(settings: Settings) -> list[Finding]:
    """Tasks, prices, history and cache: each is tried the way that ``run`` would."""
    looks: dict[str, Callable[[], str]] = {
        "tasks": lambda: _tasks_words(settings),
        "prices": lambda: f"as of {load_prices(settings).as_of}",
        "history": lambda: _history_words(settings),
        "cache": lambda: str(cache_folder(settings)),
    }
    found = []
    for what, look in looks.items():
        try:
            found.append(Finding(what, True, look(), needed=True))
        except (AgentBenchError, OSError) as error:
            found.append(Finding(what, False, str(error), needed=True))
    return found


def _tasks_words(settings: Settings) -> str:
    catalog = load_catalog(settings)
    bad = "".join(f"; left out: {problem.message}" for problem in catalog.problems)
    return f"{len(catalog.tasks)} tasks{bad}"


def _history_words(settings: Settings) -> str:
    if "://" not in settings["db"] and not Path(settings["db"]).exists():
        return f"{shown_place(settings['db'])}: made by the first run"
    with open_store(settings):
        return shown_place(settings["db"])


def _agents(probes: dict[str, Probe]) -> list[Finding]:
    return [
        Finding(f"agent {name}", probe.status == "available", probe.version or probe.remedy or probe.reason)
        for name, probe in probes.items()
    ]


def _settings_json(settings: Settings) -> dict[str, dict[str, str]]:
    return {
        name: {"value": shown_place(str(value.value)), "source": value.source}
        for name, value in settings.values.items()
    }


def _print(findings: list[Finding], settings: Settings) -> None:
    console = results_console()
    listing = table(console, ("", "what", "found"))
    for item in findings:
        listing.add_row(*cells(figures.PASS if item.ok else figures.FAIL, item.what, item.found))
    values = table(console, ("setting", "value", "from"))
    for name, value in settings.values.items():
        shown = figures.UNKNOWN if value.value is None else shown_place(str(value.value))
        values.add_row(*cells(name, shown, value.source))
    show(console, listing, Text(""), values)
