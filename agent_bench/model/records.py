"""What came of trials and runs."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from agent_bench.model.frozen import Frozen
from agent_bench.model.processes import LimitFired
from agent_bench.model.trials import Outcome, Trial, TrialKey

RECORD_VERSION = 1
"""Version of the JSON form of TrialRecord and Run (``trial.json``, ``results.json``)."""


class Usage(Frozen):
    """Tokens of model calls. Each count is None where it is not known."""

    input_tokens: int | None = None
    """Input that was neither read from nor written to a cache."""
    output_tokens: int | None = None
    """Output, reasoning included."""
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    requests: int | None = None
    source: Literal["metered", "reported", "estimated", "none"] = "none"

    @property
    def total_tokens(self) -> int | None:
        """All known tokens; None if neither input nor output is known."""
        if self.input_tokens is None and self.output_tokens is None:
            return None
        counts = (self.input_tokens, self.output_tokens, self.cache_read_tokens, self.cache_write_tokens)
        return sum(count or 0 for count in counts)


class Signal(Frozen):
    """What a grader saw: a value in 0..1, or not observed with a reason."""

    name: str
    value: float | None = Field(default=None, ge=0.0, le=1.0, allow_inf_nan=False)
    reason: str
    """One sentence: what was seen, or why nothing could be."""
    facts: Mapping[str, Any] = Field(default_factory=dict)
    """Further numbers and names behind the value, as JSON."""
    tampered: tuple[str, ...] = ()
    """Signs that a result was forged, or that it was tried, one sentence each."""
    seconds: float = 0.0
    usage: Usage | None = None
    """Tokens the grader itself spent (the judge's)."""
    cost_usd: float | None = None
    """What the grader itself spent."""


class Score(Frozen):
    """What the policy made of the signals."""

    value: float | None = Field(default=None, ge=0.0, le=1.0, allow_inf_nan=False)
    """0..1; None: not observed."""
    points: float | None = None
    """In the format's own scale, where it has one."""
    resolved: bool | None = None
    """All-or-nothing verdict, where the format has one."""
    observed_weight: float | None = None
    """Share (0..1) of the weight that was observed."""
    reason: str


class Produced(Frozen):
    """What the agent left, against what it was given."""

    added: tuple[str, ...] = ()
    """Relative POSIX paths; undecodable bytes escaped."""
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """What was refused, one sentence each (links out of the tree, oversized files, ...)."""
    undone: tuple[str, ...] = ()
    """Protected files of the author's that the agent changed, deleted or added, one sentence each: it did not count."""
    is_empty: bool = False
    """Nothing counts as produced: nothing added or changed, or nothing but blank files."""

    @property
    def files(self) -> tuple[str, ...]:
        """Files that are the agent's work."""
        return tuple(sorted((*self.added, *self.modified)))


class Try(Frozen):
    """A try of a trial that failed through our fault or the provider's, and was repeated."""

    outcome: Outcome
    reason: str
    wall_sec: float
    usage: Usage = Usage()
    cost_usd: float | None = None
    workdir: str


class TrialRecord(Frozen):
    """One trial with all that came of it; the content of ``trial.json``."""

    record_version: int = RECORD_VERSION
    id: str
    """Short and unique: what ``agent-bench show`` takes."""
    key: TrialKey
    task_digest: str
    task_format: str
    task_language: str | None = None
    agent_version: str | None = None
    settings_digest: str = ""
    """Short hash of the agent's adapter, options and limits: part of a row's identity."""
    outcome: Outcome
    reason: str = ""
    """Why it ended so, in words."""
    dry_run: bool = False
    started_at: datetime
    ended_at: datetime
    wall_sec: float
    """The agent's own time, of the try that counted."""
    grading_sec: float = 0.0
    exit_code: int | None = None
    limit: LimitFired | None = None
    signals: tuple[Signal, ...] = ()
    score: Score
    repeats: tuple[Score, ...] = ()
    """Further gradings of the same output (``--grade-repeats``); ``score`` is the first."""
    produced: Produced = Produced()
    model: str | None = None
    """The model that answered, as far as known; else the one asked for."""
    usage: Usage = Usage()
    """Of all tries together."""
    reported_usage: Usage | None = None
    """The agent's own count, where ours is another one."""
    cost_usd: float | None = None
    """Of all tries together; None: unknown."""
    cost_note: str = ""
    """Why the cost is unknown or estimated."""
    judge_usage: Usage | None = None
    judge_cost_usd: float | None = None
    final_message: str = ""
    """What the agent said last; untrusted."""
    sandbox: str = ""
    """Name of the sandbox and network policy, e.g. ``bubblewrap/open``."""
    leftovers: int = 0
    survivors: int = 0
    tries: tuple[Try, ...] = ()
    """Earlier tries, oldest first."""
    workdir: str = ""
    """Folder of the trial: absolute."""

    @property
    def flaky(self) -> bool:
        """Gradings of the same output disagree: the score is not to be relied on."""
        return any((other.value, other.resolved) != (self.score.value, self.score.resolved) for other in self.repeats)

    @property
    def tampered(self) -> tuple[str, ...]:
        """Signs of a forged result in any signal."""
        return tuple(sign for signal in self.signals for sign in signal.tampered)

    def signal(self, name: str) -> Signal | None:
        """The signal of that name, if the task has it."""
        return next((signal for signal in self.signals if signal.name == name), None)


class Run(Frozen):
    """One invocation: a plan of trials."""

    record_version: int = RECORD_VERSION
    id: str
    """Sorts by time."""
    started_at: datetime
    harness_version: str
    arguments: Mapping[str, Any] = Field(default_factory=dict)
    """What was asked for, as resolved."""
    host: Mapping[str, str] = Field(default_factory=dict)
    """Operating system, machine, Python: where it ran."""
    dry_run: bool = False
    trials: tuple[Trial, ...]


class RunResult(Frozen):
    """A run with its records; the content of ``results.json``."""

    run: Run
    records: tuple[TrialRecord, ...]
    interrupted: bool = False
