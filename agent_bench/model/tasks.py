"""What is asked: a task, its limits and its checks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from agent_bench.model.frozen import Frozen


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

    name: Literal["weighted", "all_of"] = "weighted"
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
    kind: str | None = None
    """What sort of work it is: bug_fix, feature, refactor."""
    language: str | None = None
    difficulty: str | None = None
    tags: tuple[str, ...] = ()
    limits: Limits = Limits()
    workspace: Path | None = None
    """Folder of starting files; None: the agent starts in an empty folder."""
    visible: Mapping[str, Path] = Field(default_factory=dict)
    """Further files and folders that the agent is given, by their relative POSIX place in the workspace."""
    withheld: Mapping[str, Path] = Field(default_factory=dict)
    """Files and folders that are laid into the tree only when it is graded, by their place."""
    protected: tuple[str, ...] = ()
    """Patterns (``fnmatch``, ``*`` also across ``/``) of files that count only in the author's version."""
    toolchain: str | None = None
    """Name of the toolchain that its graded tests run with; it is made ready before the agent starts."""
    environment: Environment = Environment()
    checks: tuple[Check, ...] = ()
    policy: Policy = Policy()
    solution: Path | None = None
    """Folder that the control ``reference`` lays over the workspace."""
    hidden: tuple[Path, ...] = ()
    """Files and folders of the author that no agent may ever see."""
    source: Path
    """The file it was read from."""
