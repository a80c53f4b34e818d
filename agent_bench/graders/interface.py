"""The contract of a grader: it looks at the rebuilt tree that a trial left, and yields one signal."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent_bench.costs.pricing import PriceTable
from agent_bench.model import Check, Frozen, Produced, Signal, Task
from agent_bench.process import Launcher
from agent_bench.sandboxes.interface import Sandbox


class JudgeSettings(Frozen):
    """How the judge is reached."""

    model: str = "claude-sonnet-4-6"
    api_key: str | None = None
    base_url: str | None = None
    enabled: bool = True
    max_input_tokens: int = 60_000
    """Limit for the files shown to it; what is cut is stated."""


@dataclass(frozen=True)
class Grading:
    """One grading: the tree, and the means to run things on it. Nothing of the agent runs in our own process."""

    task: Task
    tree: Path
    """The rebuilt copy: the task's workspace with the agent's changes. Graders that execute take a copy of it."""
    produced: Produced
    launcher: Launcher
    sandbox: Sandbox
    scratch: Path
    """An empty folder of this grading, outside the tree."""
    logs: Path
    cache: Path
    """Environments that are made once."""
    judge: JudgeSettings
    prices: PriceTable
    environ: Mapping[str, str]
    """The user's environment: for the package index and certificates, never handed on whole."""

    @property
    def unchanged(self) -> bool:
        """The agent produced nothing."""
        return not self.produced.files and not self.produced.deleted


class Grader(Protocol):
    """A grader. A fault of its own is a signal that is not observed, with the reason; it does not raise."""

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal named ``check.name``."""
