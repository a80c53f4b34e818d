"""The contract of a grader: it looks at the rebuilt tree that a trial left, and yields one signal."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from agent_bench.costs.pricing import PriceTable
from agent_bench.evidence import read_regular
from agent_bench.graders.room import GradingRoom, open_room
from agent_bench.model import Check, Frozen, Produced, Signal, Task
from agent_bench.process import Launcher
from agent_bench.sandboxes.interface import Sandbox
from agent_bench.workspace import Scan, scan, shown

_BLANK_BYTES = 4096


class JudgeSettings(Frozen):
    """How the judge is reached."""

    model: str = "claude-sonnet-4-6"
    api_key: str | None = None
    base_url: str | None = None
    enabled: bool = True
    max_input_tokens: int = 60_000
    """Limit for the files shown to it; what is cut is stated."""
    timeout_sec: float = 300.0
    """For its answer, all tries and waits together."""


@dataclass(frozen=True)
class Grading:
    """One grading: the tree, and the means to run things on it. Nothing of the agent runs in our own process."""

    task: Task
    tree: Path
    """The rebuilt copy: the task's workspace with the agent's changes. No grader changes it."""
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

    @cached_property
    def found(self) -> Scan:
        """The files of the tree. Blocks the first time it is asked."""
        return scan(self.tree)

    @cached_property
    def unchanged(self) -> bool:
        """Nothing was produced: no file added or changed, or nothing but blank ones. To delete is not to produce.

        Blocks the first time it is asked.
        """
        produced = set(self.produced.files)
        written = (path for path in self.found.files if shown(path) in produced)
        return not any(self._has_content(path) for path in written)

    def python_files(self) -> list[str]:
        """The ``*.py`` files of the tree, if any of them holds anything; else none."""
        files = [path for path in self.found.files if path.endswith(".py")]
        return files if any(self._has_content(path) for path in files) else []

    async def fresh_room(self, name: str) -> GradingRoom:
        """A room with a fresh copy of the tree for its workspace: for everything that runs the agent's code."""
        return await self._room(name, fresh_copy=True)

    async def reading_room(self, name: str) -> GradingRoom:
        """A room in which the tree is read only: for our own programs that look at it."""
        return await self._room(name, fresh_copy=False)

    async def _room(self, name: str, *, fresh_copy: bool) -> GradingRoom:
        return await open_room(
            name,
            self.tree,
            fresh_copy=fresh_copy,
            launcher=self.launcher,
            sandbox=self.sandbox,
            scratch=self.scratch,
            logs=self.logs,
            environ=self.environ,
        )

    def _has_content(self, path: str) -> bool:
        if self.found.files[path] > _BLANK_BYTES:
            return True
        return bool((read_regular(self.tree / path, _BLANK_BYTES) or b"").strip())


class Grader(Protocol):
    """A grader. A fault of its own is a signal that is not observed, with the reason; it does not raise."""

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal named ``check.name``."""
