"""``agent-bench run``: load tasks -> select -> plan -> execute -> report -> exit code."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import typer

from agent_bench import run as running
from agent_bench.agents.interface import Host, Probe
from agent_bench.agents.probing import host_of, probe_all
from agent_bench.catalog import select
from agent_bench.cli import options, results_view
from agent_bench.cli.gates import check_scored, expect_resolve_rate, fail_under
from agent_bench.cli.interruption import INTERRUPTED_EXIT, run_interruptibly
from agent_bench.cli.loading import (
    cache_folder,
    load_catalog,
    load_prices,
    load_roster,
    load_settings,
    missing_toolchains,
    open_store,
)
from agent_bench.cli.output import note
from agent_bench.cli.progress import show_progress
from agent_bench.errors import NothingCouldRunError, UsageError
from agent_bench.graders.interface import JudgeSettings
from agent_bench.history.files import read_plan
from agent_bench.history.opening import shown_place
from agent_bench.history.queries import Filter, ledger
from agent_bench.history.store import History
from agent_bench.model import AgentSpec, Run, Task, TrialRecord
from agent_bench.plan import Request, make_plan
from agent_bench.process import open_launcher
from agent_bench.sandboxes.interface import Network
from agent_bench.sandboxes.table import choose_sandbox
from agent_bench.settings import KNOWN, Settings

app = typer.Typer(add_completion=False)

_KEPT_FOR_RESUME = ("sandbox", "network", "grade_repeats", "judge", "judge_model", "retries", "max_concurrent")


@dataclass(frozen=True)
class Wishes:
    """The command line of ``run`` and ``run-all``, as given."""

    task_ids: tuple[str, ...]
    everything: bool
    agent: tuple[str, ...]
    model: tuple[str, ...]
    language: str | None
    tier: str | None
    tag: tuple[str, ...]
    format: str | None
    """Only tasks of this format."""
    resume: str | None
    dry_run: bool
    fail_fast: bool
    fail_under: float | None
    expect_resolve_rate: float | None
    out: Path | None
    """File for the results; None: none."""
    json: bool
    overrides: dict[str, Any]
    """Values for ``settings``; None where not given."""


@dataclass(frozen=True)
class Prepared:
    """A plan with everything that its execution needs."""

    run: Run
    tasks: dict[str, Task]
    finished: tuple[TrialRecord, ...]
    settings: Settings


@app.command(no_args_is_help=True)
def run(
    task_ids: options.TaskArguments = None,
    agent: options.AgentsOption = None,
    model: options.ModelsOption = None,
    attempts: options.AttemptsOption = None,
    max_concurrent: options.ConcurrentOption = None,
    timeout: options.TimeoutOption = None,
    retries: options.RetriesOption = None,
    sandbox: options.SandboxOption = None,
    network: options.NetworkOption = None,
    judge: options.JudgeOption = None,
    judge_model: options.JudgeModelOption = None,
    language: options.LanguageOption = None,
    tier: options.TierOption = None,
    tag: options.TagsOption = None,
    resume: options.ResumeOption = None,
    dry_run: options.DryRunOption = False,
    fail_fast: options.FailFastOption = False,
    fail_under: options.FailUnderOption = None,
    expect_resolve_rate: options.ExpectRateOption = None,
    grade_repeats: options.RepeatsOption = None,
    seed: options.SeedOption = None,
    tasks: options.TasksOption = None,
    runs: options.RunsOption = None,
    db: options.DbOption = None,
    out: options.OutOption = Path("results.json"),
    json: options.JsonOption = False,
) -> None:
    """Give tasks to agents side by side; grade, price and keep what they leave."""
    start(wishes_of(dict(locals()), everything=False))


def wishes_of(given: Mapping[str, Any], *, everything: bool) -> Wishes:
    """The command line in the form that the steps take."""
    plain = ("language", "tier", "resume", "fail_under", "expect_resolve_rate", "out", "format")
    parts: dict[str, Any] = {
        **{name: tuple(given.get(name) or ()) for name in ("task_ids", "agent", "model", "tag")},
        **{name: given.get(name) for name in plain},
        **{name: bool(given.get(name)) for name in ("dry_run", "fail_fast", "json")},
    }
    overrides = {name: given[name] for name in KNOWN if name in given}
    return Wishes(**parts, everything=everything, overrides=overrides)


Gate = Callable[[Run, History, Wishes], None]
"""What must hold of a finished run. Raises ``GateFailedError``."""


def start(wishes: Wishes, *extra_gates: Gate) -> None:
    """The whole of a run, step by step; raises ``typer.Exit`` with the exit code."""
    settings = load_settings(wishes.overrides)
    with open_store(settings) as history:
        prepared = _prepare_resume(wishes, settings) if wishes.resume else _prepare(wishes, settings)
        interrupted = _execute(prepared, wishes, history)
        _report(prepared.run, history, wishes, interrupted=interrupted)
        if not interrupted:
            check_scored(prepared.run, history)
            for gate in (*extra_gates, fail_under, expect_resolve_rate):
                gate(prepared.run, history, wishes)
    raise typer.Exit(INTERRUPTED_EXIT if interrupted else 0)


def _prepare(wishes: Wishes, settings: Settings) -> Prepared:
    if not wishes.task_ids and not wishes.everything:
        raise UsageError("no task was named", "name one or more, or use: agent-bench run-all")
    catalog = load_catalog(settings)
    chosen = select(catalog, ids=wishes.task_ids, tags=wishes.tag, language=wishes.language, difficulty=wishes.tier)
    chosen = [task for task in chosen if wishes.format in (None, task.format)]
    if not chosen:
        raise UsageError("no task fits the selection", "see: agent-bench tasks")
    specs = load_roster(wishes.agent)
    request = Request(
        tasks=chosen,
        agents=specs,
        probes=anyio.run(_probe, specs, wishes.dry_run),
        models=wishes.model,
        attempts=settings["attempts"],
        timeout_sec=settings["timeout"],
        seed=settings["seed"],
        arguments=_arguments(wishes, settings),
        dry_run=wishes.dry_run,
        missing=missing_toolchains(chosen),
    )
    run_ = make_plan(request)
    if all(trial.skip is not None for trial in run_.trials):
        reasons = sorted({f"{trial.key.agent}: {trial.skip_reason}" for trial in run_.trials})
        raise NothingCouldRunError("nothing that was asked for can run", "\n      ".join(reasons))
    return Prepared(run_, {task.id: task for task in chosen}, (), settings)


async def _probe(specs: Sequence[AgentSpec], dry_run: bool) -> dict[str, Probe]:
    host = host_of(os.environ)
    if dry_run:
        return await probe_all(specs, host, None)
    async with open_launcher() as launcher:
        return await probe_all(specs, host, launcher)


def _arguments(wishes: Wishes, settings: Settings) -> dict[str, Any]:
    """What a run was asked to do, as resolved: kept with its plan."""
    asked = {"tasks": wishes.task_ids, "agents": wishes.agent, "models": wishes.model}
    resolved = {name: value.value for name, value in settings.values.items()}
    # Kept with the plan, and shown: never with a password.
    return {**asked, **resolved, "db": shown_place(resolved["db"])}


def _prepare_resume(wishes: Wishes, settings: Settings) -> Prepared:
    """The plan of an earlier run, unchanged, with what is already finished."""
    if wishes.task_ids or wishes.agent or wishes.model or wishes.dry_run:
        raise UsageError("--resume takes a run's plan as it is: no tasks, agents, models or --dry-run with it")
    run_ = read_plan(settings["runs"], wishes.resume or "")
    kept = {name: run_.arguments.get(name) for name in _KEPT_FOR_RESUME}
    given = {name: value for name, value in wishes.overrides.items() if value is not None}
    settings = load_settings({**kept, **given})
    catalog = load_catalog(settings)
    ids = sorted({trial.key.task for trial in run_.trials})
    tasks = {task.id: task for task in select(catalog, ids=ids)}
    running.check_unchanged(run_, tasks)
    return Prepared(run_, tasks, running.finished_records(run_, settings["runs"]), settings)


def _execute(prepared: Prepared, wishes: Wishes, history: History) -> bool:
    """Executes the plan; returns whether it was interrupted."""
    settings, run_ = prepared.settings, prepared.run
    prices = load_prices(settings)
    if run_.dry_run:
        running.dry_run(run_, prepared.tasks, history)
        return False
    sandbox, warning = choose_sandbox(settings["sandbox"])
    if warning:
        note(f"warning: {warning}", style="yellow")
    host = host_of(os.environ)
    means = partial(
        running.Means,
        runs=settings["runs"],
        cache=cache_folder(settings),
        history=history,
        sandbox=sandbox,
        network=Network(settings["network"]),
        prices=prices,
        judge=_judge(settings, host),
        host=host,
        max_concurrent=settings["max_concurrent"],
        retries=settings["retries"],
        fail_fast=wishes.fail_fast,
        grade_repeats=settings["grade_repeats"],
    )
    planned = sum(trial.skip is None for trial in run_.trials)
    done = sum(record.outcome.is_counted for record in prepared.finished)
    with show_progress(planned, done) as progress:
        work = partial(running.execute, run_, prepared.tasks, means(progress=progress), prepared.finished)
        return run_interruptibly(work)


def _judge(settings: Settings, host: Host) -> JudgeSettings:
    return JudgeSettings(
        model=settings["judge_model"],
        api_key=host.environ.get("ANTHROPIC_API_KEY") or None,
        base_url=host.environ.get("ANTHROPIC_BASE_URL") or None,
        enabled=settings["judge"],
    )


def _report(run: Run, history: History, wishes: Wishes, *, interrupted: bool) -> None:
    if wishes.out:
        running.write_results(wishes.out, run, history, interrupted=interrupted)
    if wishes.json:
        sys.stdout.writelines(running.results_text(run, history, interrupted=interrupted))
    else:
        results_view.show(run, history.records(run.id), ledger(history, Filter(run=run.id)))
        note(f"results: {wishes.out} · run {run.id}" if wishes.out else f"run {run.id}")
    if interrupted:
        note(f"interrupted; go on with: agent-bench run --resume {run.id}", style="yellow")
