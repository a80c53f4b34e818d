"""The core types: frozen, with their units, readable and writable as JSON.

Suffixes name units: ``_sec`` seconds, ``_usd`` United States dollars, ``_bytes`` bytes. Times are aware and in UTC.
``None`` means *not known* or *not observed*; it is never written as 0.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

RECORD_VERSION = 1
"""Version of the JSON form of TrialRecord and Run (``trial.json``, ``results.json``)."""


class Frozen(BaseModel):
    """Base of all core types: immutable, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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


class Limits(Frozen):
    """What a trial may use."""

    agent_sec: float = 600.0
    """Wall time of the agent, in seconds."""
    startup_sec: float | None = None
    """The agent is ended if it wrote nothing at all for so long after its start."""
    idle_sec: float | None = None
    """The agent is ended if it wrote nothing for so long."""
    output_bytes: int = 1 << 30
    """The agent is ended once its stdout and stderr together exceed this (1 GiB); logs keep far less of it."""


class Environment(Frozen):
    """What a Python task's code needs when it is graded."""

    python: str | None = None
    """Version such as "3.12"; None: the interpreter that runs agent-bench."""
    requirements: tuple[str, ...] = ()
    """PEP 508 requirements."""


class Check(Frozen):
    """A grader as configured in a task."""

    name: str
    """Name of the signal it yields; unique in its task."""
    grader: str
    """Name of the grader."""
    options: Mapping[str, Any] = Field(default_factory=dict)
    """The grader's own settings, checked by the format that read them."""
    weight: float = 0.0
    """Share in a weighted score, in any scale: weights are renormalised."""


class Policy(Frozen):
    """How signals become a score."""

    name: Literal["weighted"] = "weighted"
    minimum_observed: float = 0.5
    """A weighted score is not observed when less than this share of the weight was."""


class Task(Frozen):
    """An instruction, a place to work, limits, and the checks that judge the outcome."""

    id: str
    """Unique in a catalog; ``/`` nests."""
    format: str
    """Name of the format it was read from."""
    digest: str
    """SHA-256 (hex) of everything that can change a result: see ``formats.digest``."""
    title: str
    instruction: str
    """The exact text that the agent is given."""
    language: str | None = None
    difficulty: str | None = None
    tags: tuple[str, ...] = ()
    limits: Limits = Limits()
    workspace: Path | None = None
    """Folder of starting files; None: the agent starts in an empty folder."""
    environment: Environment = Environment()
    checks: tuple[Check, ...] = ()
    policy: Policy = Policy()
    solution: Path | None = None
    """Folder that the control ``reference`` lays over the workspace."""
    hidden: tuple[Path, ...] = ()
    """Files and folders of the author that no agent may ever see."""
    source: Path
    """The file it was read from."""


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


class ProcessLimits(Frozen):
    """The limits of one process tree; the first to be exceeded ends it and is recorded."""

    wall_sec: float
    startup_sec: float | None = None
    idle_sec: float | None = None
    output_bytes: int | None = None
    grace_sec: float = 1.5
    """Between SIGTERM and SIGKILL."""
    memory_bytes: int | None = None
    """Address space of each process (RLIMIT_AS); unfit for JVMs."""
    file_bytes: int | None = None
    """Size of each file it writes (RLIMIT_FSIZE)."""


class Invocation(Frozen):
    """A process to start: nothing is inherited but what stands here."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    """The whole environment."""
    stdin: Path | None = None
    """File to read from; None: closed (/dev/null)."""
    limits: ProcessLimits
    readable: tuple[Path, ...] = ()
    """Host paths, besides the system's, that a sandbox shows read-only, at the same place."""
    descriptors: Mapping[int, str] = Field(default_factory=dict)
    """Text that it finds, to read, on these descriptors (3 to 63): what no command line should show."""
    status_fd: int | None = None
    """argv starts a sandbox, which tells here, in bubblewrap's words, what became of the program in it."""


class LimitFired(Frozen):
    """Which limit ended a process."""

    name: Literal["wall_sec", "startup_sec", "idle_sec", "output_bytes"]
    value: float


class Finished(Frozen):
    """What became of an invocation."""

    exit_code: int | None
    """As the program gave it; minus the signal's number if a signal ended it; None if it never started."""
    limit: LimitFired | None = None
    cancelled: bool = False
    """We ended it (Ctrl-C), not a limit."""
    seconds: float
    stdout: Path
    stderr: Path
    """Log files: the first and the last part of what was written, a line between them saying how much is cut."""
    output_bytes: int = 0
    """Bytes written to stdout and stderr together."""
    bytes_cut: int = 0
    """Bytes of these that the logs do not hold."""
    leftovers: int = 0
    """Processes of its tree that were still alive when it ended and had to be killed."""
    survivors: int = 0
    """Processes of its tree that could not be killed; anything but 0 is a fault."""
    fault: str | None = None
    """Why it could not be started or supervised (ours), in words."""

    @property
    def timed_out(self) -> bool:
        """A limit of time ended it."""
        return self.limit is not None and self.limit.name != "output_bytes"


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
    """What was refused or restored, one sentence each (links out of the tree, oversized files, ...)."""

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


class TrialRecord(Frozen):
    """One trial with all that came of it; the content of ``trial.json``."""

    record_version: int = RECORD_VERSION
    id: str
    """Short and unique: what ``agent-bench show`` takes."""
    key: TrialKey
    task_digest: str
    task_format: str
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
