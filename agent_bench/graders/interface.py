"""The contract of a grader: it looks at the rebuilt tree that a trial left, and yields one signal."""

from pathlib import Path
from typing import Protocol

from agent_bench.costs.pricing import PriceTable
from agent_bench.model import Check, Finished, Frozen, Invocation, Produced, Signal, Task
from agent_bench.process import Launcher
from agent_bench.sandboxes.interface import Network, Room, Sandbox


class JudgeSettings(Frozen):
    """How the judge is reached."""

    model: str = "claude-sonnet-4-6"
    api_key: str | None = None
    base_url: str | None = None
    enabled: bool = True
    max_input_tokens: int = 60_000
    """Limit for the files shown to it; what is cut is stated."""


class Grading:
    """One grading: the tree, and the means to run things on it. Graders never run anything in our own process."""

    def __init__(
        self,
        task: Task,
        tree: Path,
        produced: Produced,
        *,
        launcher: Launcher,
        sandbox: Sandbox,
        scratch: Path,
        logs: Path,
        cache: Path,
        judge: JudgeSettings,
        prices: PriceTable,
    ) -> None:
        self.task = task
        self.tree = tree
        """The rebuilt copy: task's workspace plus the agent's changes. Disposable."""
        self.produced = produced
        self.launcher = launcher
        self.sandbox = sandbox
        self.scratch = scratch
        """An empty folder of this grading, outside the tree: reports go here."""
        self.logs = logs
        self.cache = cache
        """Environments and other things that are made once."""
        self.judge = judge
        self.prices = prices

    async def run(
        self, name: str, invocation: Invocation, *, home: Path, readable: tuple[Path, ...] = ()
    ) -> Finished:
        """Runs a command in the grading sandbox, without network, in the tree; logs go to ``logs/<name>.*``."""
        room = Room(workspace=self.tree, home=home, readable=readable, network=Network.NONE)
        return await self.launcher.run(self.sandbox.enter(invocation, room), self.logs / name)


class Grader(Protocol):
    """A grader. A fault of its own is a signal that is not observed, with the reason; it does not raise."""

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal named ``check.name``."""
