"""A trial as it is planned, and how it can end."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import Field

from agent_bench.model.frozen import Frozen
from agent_bench.model.tasks import Limits


class Outcome(StrEnum):
    """How a trial ended. See ``is_counted``, ``is_fault`` and ``is_not_run`` for what follows from each."""

    COMPLETED = "completed"
    AGENT_FAILED = "agent_failed"
    TIMED_OUT = "timed_out"
    OVER_BUDGET = "over_budget"
    SETUP_FAILED = "setup_failed"
    SANDBOX_FAILED = "sandbox_failed"
    PROVIDER_FAILED = "provider_failed"
    GRADING_FAILED = "grading_failed"
    INTERRUPTED = "interrupted"
    UNAVAILABLE = "unavailable"
    UNSUPPORTED = "unsupported"

    @property
    def is_counted(self) -> bool:
        """The agent had its chance: graded, and part of every denominator."""
        return self in (Outcome.COMPLETED, Outcome.AGENT_FAILED, Outcome.TIMED_OUT, Outcome.OVER_BUDGET)

    @property
    def is_not_run(self) -> bool:
        """Never started: the agent is not installed, has no key, or cannot do such tasks."""
        return self in (Outcome.UNAVAILABLE, Outcome.UNSUPPORTED)

    @property
    def is_fault(self) -> bool:
        """Our fault or the provider's: retried, listed, never held against the agent."""
        return not self.is_counted and not self.is_not_run and self is not Outcome.INTERRUPTED


class AgentSpec(Frozen):
    """An adapter plus its settings."""

    name: str
    """As shown and stored; unique in a run."""
    adapter: str
    """Name of the adapter that drives it."""
    model: str | None = None
    """The model asked for; None: the agent's own default."""
    options: Mapping[str, Any] = Field(default_factory=dict)
    """The adapter's own settings (a command, a usage reader)."""
    env: tuple[str, ...] = ()
    """Names of environment variables it may see besides those its adapter names."""
    timeout_sec: float | None = None
    """A limit of the agent's own; the smaller of it and the task's holds."""
    version: str | None = None
    """As probed before the run."""


class TrialKey(Frozen):
    """Identity of a trial: unique in a history."""

    run: str
    task: str
    agent: str
    model: str | None
    attempt: int = 1
    """Number of the repetition, from 1."""

    def __str__(self) -> str:
        model = f" [{self.model}]" if self.model else ""
        return f"{self.agent}{model} on {self.task} #{self.attempt}"


class Trial(Frozen):
    """One agent on one task, once: as planned."""

    key: TrialKey
    task_digest: str
    agent: AgentSpec
    limits: Limits
    settings_digest: str = ""
    """Short hash of the agent's adapter, options and limits: part of a row's identity."""
    skip: Outcome | None = None
    """UNAVAILABLE or UNSUPPORTED: listed, not run."""
    skip_reason: str = ""
