"""A run as a list of steps: plan -> execute -> record. What comes before is the catalog, what follows are reports."""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from anyio.to_thread import run_sync

from agent_bench.agents.interface import Agent, Host
from agent_bench.agents.table import find_agent
from agent_bench.costs.pricing import PriceTable
from agent_bench.errors import UsageError
from agent_bench.executors.interface import Progress
from agent_bench.executors.local import LocalExecutor
from agent_bench.graders.interface import JudgeSettings
from agent_bench.history.files import TRIAL_FILE, read_record, write_durably, write_plan
from agent_bench.history.store import History
from agent_bench.model import Outcome, Run, RunResult, Score, Signal, Task, Trial, TrialRecord
from agent_bench.process import open_launcher
from agent_bench.recorder import open_recorder
from agent_bench.sandboxes.interface import Network, Sandbox
from agent_bench.trial import Bench


@dataclass(frozen=True)
class Means:
    """What a run is done with."""

    runs: Path
    cache: Path
    history: History
    sandbox: Sandbox
    network: Network
    """What agents can reach."""
    prices: PriceTable
    judge: JudgeSettings
    host: Host
    max_concurrent: int
    retries: int
    fail_fast: bool
    progress: Progress
    grade_repeats: int = 1


async def execute(run: Run, tasks: Mapping[str, Task], means: Means, finished: Sequence[TrialRecord] = ()) -> None:
    """Runs the trials of a plan that have no finished record yet; all of it is durable when this returns.

    ``finished`` are the records that a resumed run already has. Cancelling ends every agent, records the trials
    in flight as interrupted, and re-raises. What came of the run is read from the history: ``result``.
    """
    await run_sync(_begin, run, means, finished)
    done = {record.key for record in finished if record.outcome.is_counted}
    trials = tuple(trial for trial in run.trials if trial.skip is None and trial.key not in done)
    agents: dict[str, Agent] = {trial.key.agent: find_agent(trial.agent.adapter) for trial in trials}
    async with open_launcher() as launcher, open_recorder(means.history) as recorder:
        bench = Bench(
            launcher=launcher,
            sandbox=means.sandbox,
            network=means.network,
            runs=means.runs,
            cache=means.cache,
            prices=means.prices,
            judge=means.judge,
            host=means.host,
            grade_repeats=means.grade_repeats,
        )
        executor = LocalExecutor(
            bench=bench,
            tasks=tasks,
            agents=agents,
            max_concurrent=means.max_concurrent,
            retries=means.retries,
            fail_fast=means.fail_fast,
            recorder=recorder,
            progress=means.progress,
        )
        await executor.execute(trials)


def _begin(run: Run, means: Means, finished: Sequence[TrialRecord]) -> None:
    write_plan(means.runs, run)
    means.history.add_run(run)
    means.history.add_records(finished)


def dry_run(run: Run, tasks: Mapping[str, Task], history: History) -> None:
    """Stores made-up records for a plan, marked as dry runs: no process is started and no model called."""
    history.add_run(run)
    history.add_records([_made_up(trial, tasks[trial.key.task]) for trial in run.trials if trial.skip is None])


def _made_up(trial: Trial, task: Task) -> TrialRecord:
    now = datetime.now(UTC)
    reason = "dry run: made up"
    return TrialRecord(
        id=secrets.token_hex(4),
        key=trial.key,
        task_digest=task.digest,
        task_format=task.format,
        settings_digest=trial.settings_digest,
        outcome=Outcome.COMPLETED,
        reason="dry run",
        dry_run=True,
        started_at=now,
        ended_at=now,
        wall_sec=0.0,
        signals=(
            Signal(name="files", value=1.0, reason=reason),
            Signal(name="imports", value=1.0, reason=reason),
        ),
        score=Score(value=1.0, reason=reason),
    )


def finished_records(run: Run, runs: Path) -> tuple[TrialRecord, ...]:
    """The records of a run that are on disk, also those that a killed process wrote but did not enter."""
    found = []
    for agent, task in sorted({(trial.key.agent, trial.key.task) for trial in run.trials}):
        for path in sorted((runs / agent / task).glob(f"*/{TRIAL_FILE}")):
            record = read_record(path)
            if record.key.run == run.id:
                found.append(record)
    return tuple(found)


def check_unchanged(run: Run, tasks: Mapping[str, Task]) -> None:
    """Raises ``UsageError`` if a task is not any more what the run was planned with."""
    for trial in run.trials:
        task = tasks[trial.key.task]
        if task.digest != trial.task_digest:
            raise UsageError(
                f"task '{task.id}' has changed since run {run.id} was planned"
                f" (digest {trial.task_digest[:12]} then, {task.digest[:12]} now)",
                "results for different tasks are not mixed: start a new run",
            )


def result(run: Run, history: History, *, interrupted: bool = False) -> RunResult:
    """A run with the records that the history has of it."""
    return RunResult(run=run, records=tuple(history.records(run.id)), interrupted=interrupted)


def write_results(path: Path, run: Run, history: History, *, interrupted: bool) -> None:
    """Writes ``results.json``: a ``RunResult``, of which one record at a time is in memory."""
    write_durably(path, results_text(run, history, interrupted=interrupted))


def results_text(run: Run, history: History, *, interrupted: bool) -> Iterator[str]:
    """The text of a ``RunResult`` as JSON, piece by piece."""
    yield '{"run": '
    yield run.model_dump_json()
    yield ',\n"records": [\n'
    for number, record in enumerate(history.records_json(run.id)):
        yield (",\n" if number else "") + record
    yield f'\n],\n"interrupted": {json.dumps(interrupted)}}}\n'
