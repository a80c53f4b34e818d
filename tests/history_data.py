"""Small runs and records for the tests of the history."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from agent_bench.model import (
    AgentSpec,
    Limits,
    Outcome,
    Produced,
    Run,
    Score,
    Signal,
    Trial,
    TrialKey,
    TrialRecord,
    Usage,
)

START = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
_NUMBERS = count(1)


def run_of(
    name: str,
    *,
    attempts: int = 1,
    agents: tuple[str, ...] = ("a",),
    tasks: tuple[str, ...] = ("t",),
    skip: dict[str, Outcome] | None = None,
    dry_run: bool = False,
) -> Run:
    """A run of agents on tasks."""
    trials = tuple(
        Trial(
            key=TrialKey(run=name, task=task, agent=agent, model=None, attempt=attempt),
            task_digest=f"digest-{task}",
            agent=AgentSpec(name=agent, adapter="command"),
            limits=Limits(),
            skip=(skip or {}).get(agent),
        )
        for attempt in range(1, attempts + 1)
        for task in tasks
        for agent in agents
    )
    return Run(id=name, started_at=START, harness_version="0.1.0", dry_run=dry_run, trials=trials)


def record_of(trial: Trial, *, overall: float | None = 0.5, **changes: Any) -> TrialRecord:
    """The record of a trial, its id and time unique."""
    number = next(_NUMBERS)
    base: dict[str, Any] = {
        "id": f"{number:04x}{trial.key.run}",
        "key": trial.key,
        "task_digest": trial.task_digest,
        "task_format": "prompt",
        "outcome": Outcome.COMPLETED,
        "started_at": START,
        "ended_at": START + timedelta(seconds=number),
        "wall_sec": 2.0,
        "signals": (Signal(name="files", value=1.0, reason="2 files"), Signal(name="pytest", reason="no tests")),
        "score": Score(value=overall, reason="test"),
        "produced": Produced(added=("a.py", "b.py")),
        "usage": Usage(input_tokens=100, output_tokens=10, source="reported"),
        "cost_usd": 0.25,
        "sandbox": "bubblewrap/open",
        "workdir": f"/runs/{number}",
    }
    return TrialRecord(**{**base, **changes})
