"""Runs of a task's withheld tests for its validation: on the base, on the solution, on what an exploit leaves."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import anyio
from anyio.to_thread import run_sync

from agent_bench import workspace
from agent_bench.environment import base_environment
from agent_bench.graders.withheld_run import Observed, run_withheld
from agent_bench.model import Finished, Invocation, ProcessLimits, Task
from agent_bench.process import Launcher
from agent_bench.rebuilding import Rebuilt, rebuild, starting_layers
from agent_bench.sandboxes.interface import Room, Sandbox
from agent_bench.toolchains.interface import Kit

_PROGRAM_SECONDS = 30.0
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Runs:
    """Everything that runs for one task, a bounded number at a time for all tasks together."""

    task: Task
    launcher: Launcher
    sandbox: Sandbox
    cache: Path
    environ: Mapping[str, str]
    stage: Path
    """An empty folder of the task's validation."""
    limiter: anyio.CapacityLimiter
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    async def tree(self, name: str, *, with_solution: bool) -> Path:
        """The files that an agent is given, the solution laid over them or not."""
        place = self.stage / f"tree-{name}"
        layers = starting_layers(self.task)
        await run_sync(workspace.fill, place, layers)
        if with_solution and self.task.solution:
            await run_sync(workspace.lay_over, place, {"": self.task.solution})
        return place

    async def withheld(self, tree: Path, *, seed: int = 0, only: str | None = None, guarded: bool = True) -> Observed:
        """Runs the withheld tests on a tree. Raises ``ToolchainError``."""
        async with self.limiter:
            name = f"run-{next(self._numbers)}"
            return await run_withheld(
                self.task,
                tree,
                self.kit(name),
                name,
                # Canaries are drawn anew in each run, and need not be the same in the next.
                draw=random.SystemRandom(),
                seed=seed,
                only=only,
                guarded=guarded,
            )

    async def left_by(
        self, program: Path, *arguments: str, python: Path, env: Mapping[str, str], readable: Path
    ) -> Rebuilt:
        """Runs a program of ours as if it were the agent, and rebuilds the tree from what it left."""
        async with self.limiter:
            place = self.stage / f"agent-{next(self._numbers)}"
            room = Room(workspace=place / "workspace", home=place / "home")
            await run_sync(workspace.fill, room.workspace, starting_layers(self.task))
            room.home.mkdir()
            argv = (str(python), str(program), *arguments)
            await self.run(room, argv, place / "log", (readable, python.parent.parent), env)
            await run_sync(workspace.open_up, room.workspace)
            return await run_sync(rebuild, self.task, room.workspace, place, place / "changes.diff")

    async def run(
        self,
        room: Room,
        argv: tuple[str, ...],
        log: Path,
        readable: tuple[Path, ...] = (),
        env: Mapping[str, str] | None = None,
    ) -> Finished:
        """Runs a command where an agent would be, without network."""
        inside = self.sandbox.inside(room)
        invocation = Invocation(
            argv=argv,
            cwd=inside.workspace,
            env={
                **base_environment({"PATH": _SYSTEM_PATH}),
                "HOME": str(inside.home),
                "TMPDIR": str(inside.tmp),
                **(env or {}),
            },
            limits=ProcessLimits(wall_sec=_PROGRAM_SECONDS, output_bytes=1 << 20),
            readable=readable,
        )
        return await self.launcher.run(self.sandbox.enter(invocation, room), log)

    def kit(self, name: str) -> Kit:
        """A kit with places of its own."""
        scratch = self.stage / name
        scratch.mkdir()
        logs = self.stage / f"{name}-logs"
        logs.mkdir()
        return Kit(self.launcher, self.sandbox, self.cache, self.environ, scratch, logs)
