"""From a request to a plan: the list of trials, fixed before the first one starts."""

import hashlib
import json
import platform
import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from agent_bench import __version__
from agent_bench.agents.interface import Probe
from agent_bench.model import AgentSpec, Outcome, Run, Task, Trial, TrialKey

CONTROLS = frozenset({"noop", "reference"})


@dataclass(frozen=True)
class Request:
    """What a run was asked to do, with everything found and probed."""

    tasks: Sequence[Task]
    agents: Sequence[AgentSpec]
    probes: Mapping[str, Probe]
    """By the agent's name; empty for a dry run, which probes nothing."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Id of a task -> why it cannot be run on this machine by any agent."""
    models: Sequence[str] = ()
    """Each agent is run with each of these; none: with its own default."""
    attempts: int = 1
    timeout_sec: float | None = None
    seed: int = 0
    arguments: Mapping[str, Any] | None = None
    dry_run: bool = False


def make_plan(request: Request) -> Run:
    """The plan of a request: every agent on every task, ``attempts`` times.

    Within a task the order of the agents is drawn with the seed, so that the machine's load and the provider's
    mood over time favour nobody.
    """
    now = datetime.now(UTC)
    run_id = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    order = random.Random(request.seed)  # noqa: S311 - must be repeatable
    # What is the same for all attempts is held once: a run can have very many.
    by_task = [
        [
            _trial(run_id, task, spec, model, request)
            for spec in request.agents
            for model in _models(spec, request.models)
        ]
        for task in request.tasks
    ]
    trials = []
    for attempt in range(1, request.attempts + 1):
        for entrants in by_task:
            order.shuffle(entrants)
            trials += [_attempt(trial, attempt) for trial in entrants]
    return Run(
        id=run_id,
        started_at=now,
        harness_version=__version__,
        arguments=dict(request.arguments or {}),
        host=_host(),
        dry_run=request.dry_run,
        trials=tuple(trials),
    )


def _models(spec: AgentSpec, asked: Sequence[str]) -> Sequence[str | None]:
    """The models to run an agent with: a control has none."""
    if spec.adapter in CONTROLS:
        return [None]
    return list(asked) or [spec.model]


def _attempt(trial: Trial, attempt: int) -> Trial:
    return trial.model_copy(update={"key": trial.key.model_copy(update={"attempt": attempt})})


def _trial(run_id: str, task: Task, spec: AgentSpec, model: str | None, request: Request) -> Trial:
    """The first attempt."""
    probe = request.probes.get(spec.name)
    spec = spec.model_copy(update={"model": model, "version": probe.version if probe else spec.version})
    seconds = [task.limits.agent_sec, request.timeout_sec, spec.timeout_sec]
    limits = task.limits.model_copy(update={"agent_sec": min(s for s in seconds if s is not None)})
    skip, reason = _skip(task, spec, probe, request.missing.get(task.id, ""))
    return Trial(
        key=TrialKey(run=run_id, task=task.id, agent=spec.name, model=model),
        task_digest=task.digest,
        agent=spec,
        limits=limits,
        settings_digest=_settings_digest(spec, limits.agent_sec),
        skip=skip,
        skip_reason=reason,
    )


def _skip(task: Task, spec: AgentSpec, probe: Probe | None, missing: str) -> tuple[Outcome | None, str]:
    if missing:
        return Outcome.UNSUPPORTED, missing
    if not task.instruction.strip():
        return Outcome.UNSUPPORTED, "the task has no instruction"
    if spec.adapter == "reference" and task.solution is None:
        return Outcome.UNSUPPORTED, "the task has no reference solution"
    if probe is None or probe.status == "available":
        return None, ""
    outcome = Outcome.UNSUPPORTED if probe.status == "unsupported" else Outcome.UNAVAILABLE
    return outcome, f"{probe.reason}; {probe.remedy}" if probe.remedy else probe.reason


def _settings_digest(spec: AgentSpec, agent_sec: float) -> str:
    """Short hash over what, besides name, version and model, can change what an agent does."""
    settings = {
        "adapter": spec.adapter,
        "options": dict(spec.options),
        "env": spec.env,
        "agent_sec": agent_sec,
    }
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()[:12]


def _host() -> dict[str, str]:
    return {
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "python": platform.python_version(),
    }
