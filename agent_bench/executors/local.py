"""Runs trials on this machine, a bounded number at a time."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

import anyio
from anyio.lowlevel import checkpoint

from agent_bench.agents.interface import Agent
from agent_bench.costs.usage import add_usages
from agent_bench.executors.interface import Progress, Recorder
from agent_bench.model import Task, Trial, TrialRecord, Try
from agent_bench.trial import Bench, run_trial

FIRST_DELAY_SEC = 2.0
LONGEST_DELAY_SEC = 60.0


@dataclass(frozen=True)
class LocalExecutor:
    """An executor for one machine."""

    bench: Bench
    tasks: Mapping[str, Task]
    """By id."""
    agents: Mapping[str, Agent]
    """By the agent's name in the run."""
    max_concurrent: int
    retries: int
    """How often a trial is repeated after a fault of ours or the provider's."""
    fail_fast: bool
    """Start nothing more once a trial ended in a fault."""
    recorder: Recorder
    progress: Progress

    async def execute(self, trials: tuple[Trial, ...]) -> None:
        """Runs the trials, in their order as slots become free; each is recorded before its slot is reused.

        Cancelling ends every agent, records the trials in flight as interrupted, and re-raises.
        """
        limiter = anyio.CapacityLimiter(self.max_concurrent)
        stop = anyio.Event()
        async with anyio.create_task_group() as group:
            for trial in trials:
                # Taking the slot here keeps the order of the plan, and starts no task that has to wait.
                await limiter.acquire_on_behalf_of(trial.key)
                if stop.is_set():
                    break
                group.start_soon(self._run, trial, limiter, stop)

    async def _run(self, trial: Trial, limiter: anyio.CapacityLimiter, stop: anyio.Event) -> None:
        """One trial with its retries. Holds a slot, except while it waits."""
        tries: tuple[Try, ...] = ()
        try:
            while True:
                record = await self._try(trial, tries)
                if not record.outcome.is_fault:
                    return
                if len(tries) >= self.retries or stop.is_set():
                    if self.fail_fast:
                        stop.set()
                    return
                tries = (*tries, _as_try(record))
                await self._wait(trial, record.reason, len(tries), limiter)
        finally:
            if trial.key in limiter.statistics().borrowers:
                limiter.release_on_behalf_of(trial.key)

    async def _try(self, trial: Trial, tries: tuple[Try, ...]) -> TrialRecord:
        """One try, stored together with what the earlier ones spent; returns it by itself."""
        self.progress.started(trial)
        record = await run_trial(
            trial,
            self.tasks[trial.key.task],
            self.agents[trial.key.agent],
            self.bench,
            lambda name: self.progress.phase(trial, name),
        )
        whole = _with_tries(record, tries)
        with anyio.CancelScope(shield=True):
            await self.recorder(whole)
        self.progress.finished(whole)
        # A cancelled trial has returned its record; here the cancellation goes on.
        await checkpoint()
        return record

    async def _wait(self, trial: Trial, reason: str, number: int, limiter: anyio.CapacityLimiter) -> None:
        """Backs off with full jitter, the slot given to others meanwhile."""
        longest = min(LONGEST_DELAY_SEC, FIRST_DELAY_SEC * 2 ** (number - 1))
        delay = random.uniform(0, longest)  # noqa: S311 - spreads load, guards nothing
        self.progress.waiting(trial, delay, reason)
        limiter.release_on_behalf_of(trial.key)
        await anyio.sleep(delay)
        await limiter.acquire_on_behalf_of(trial.key)


def _as_try(record: TrialRecord) -> Try:
    return Try(
        outcome=record.outcome,
        reason=record.reason,
        wall_sec=record.wall_sec,
        usage=record.usage,
        cost_usd=record.cost_usd,
        workdir=record.workdir,
    )


def _with_tries(record: TrialRecord, tries: tuple[Try, ...]) -> TrialRecord:
    """The record with the tokens and the cost of the earlier tries added: they were spent."""
    if not tries:
        return record
    usages = [attempt.usage for attempt in tries] + [record.usage]
    costs = [attempt.cost_usd for attempt in tries] + [record.cost_usd]
    known = [cost for cost in costs if cost is not None]
    return record.model_copy(
        update={
            "tries": tries,
            "usage": add_usages(usages),
            "cost_usd": sum(known) if len(known) == len(costs) else None,
        }
    )
