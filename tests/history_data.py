"""Small runs and records for the tests of the history."""

from collections.abc import Mapping, Sequence
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
    agents: Sequence[str] = ("a",),
    models: Sequence[str | None] = (None,),
    tasks: Sequence[str] = ("t",),
    skip: Mapping[str, Outcome] | None = None,
    digest: str = "digest",
    settings: str = "s",
    version: str | None = None,
    **changes: Any,
) -> Run:
    """A run of agents, with models, on tasks. ``skip``: by agent."""
    trials = tuple(
        Trial(
            key=TrialKey(run=name, task=task, agent=agent, model=model, attempt=attempt),
            task_digest=f"{digest}-{task}",
            settings_digest=settings,
            agent=AgentSpec(name=agent, adapter="command", model=model, version=version),
            limits=Limits(),
            skip=(skip or {}).get(agent),
            skip_reason="not installed" if agent in (skip or {}) else "",
        )
        for attempt in range(1, attempts + 1)
        for task in tasks
        for agent in agents
        for model in models
    )
    return Run(**{"id": name, "started_at": START, "harness_version": "0.1.0", "trials": trials, **changes})


def record_of(trial: Trial, *, overall: float | None = 0.5, **changes: Any) -> TrialRecord:
    """The record of a trial that counts, unless changed; its id and time unique, each later than those before."""
    number = next(_NUMBERS)
    base: dict[str, Any] = {
        "id": f"{number:04x}{trial.key.run}",
        "key": trial.key,
        "task_digest": trial.task_digest,
        "task_format": "prompt",
        "agent_version": trial.agent.version,
        "settings_digest": trial.settings_digest,
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


def fault_of(trial: Trial, outcome: Outcome = Outcome.PROVIDER_FAILED, **changes: Any) -> TrialRecord:
    """The record of a trial that did not come to count."""
    nothing = {"signals": (), "usage": Usage(), "cost_usd": None, "reason": "429"}
    return record_of(trial, overall=None, **{"outcome": outcome, **nothing, **changes})
