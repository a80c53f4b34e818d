"""Running a command on what an agent left: in the grading sandbox, without network, on a copy of its own."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anyio.to_thread import run_sync

from agent_bench import workspace
from agent_bench.environment import base_environment
from agent_bench.graders.interface import Grading
from agent_bench.model import Finished, Invocation, ProcessLimits
from agent_bench.sandboxes.interface import Inside, Network, Room

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
MEMORY_BYTES = 4 << 30
FILE_BYTES = 1 << 30
OUTPUT_BYTES = 64 << 20


def base_python() -> Path:
    """The interpreter that made our own environment: it has nothing of ours installed."""
    return Path(getattr(sys, "_base_executable", "") or sys.executable).resolve()


def python_folders(python: Path) -> tuple[Path, ...]:
    """What must be readable so that an interpreter runs."""
    return (python.parent.parent,)


@dataclass(frozen=True)
class Command:
    """A command for the sandbox. ``argv`` is given the paths as it will see them."""

    name: str
    """Names its logs and folders."""
    argv: Callable[[Inside], Sequence[str]]
    seconds: float
    readable: tuple[Path, ...] = ()
    env: Callable[[Inside], dict[str, str]] | None = None
    own_tree: bool = True
    """Whether it gets a fresh copy of the tree: for everything that runs the agent's code."""
    memory_bytes: int | None = None


@dataclass(frozen=True)
class Done:
    """A command that was run."""

    finished: Finished
    home: Path
    """Its HOME on the host: what it wrote there is hostile."""

    def stdout(self) -> bytes:
        """What it wrote, as far as the log holds it."""
        return self.finished.stdout.read_bytes() if self.finished.stdout.exists() else b""

    def last_words(self) -> str:
        """The last line of what it said, for a reason."""
        for path in (self.finished.stderr, self.finished.stdout):
            lines = path.read_bytes().decode("utf-8", "replace").split("\n") if path.exists() else []
            said = [line.strip() for line in lines if line.strip()]
            if said:
                return workspace.shown(said[-1])[:200]
        return ""


async def execute(command: Command, grading: Grading) -> Done:
    """Runs a command to its end."""
    folder = grading.scratch / command.name
    home, tree = folder / "home", grading.tree
    await run_sync(lambda: home.mkdir(parents=True))
    if command.own_tree:
        tree = folder / "tree"
        await run_sync(lambda: workspace.rebuild(workspace.scan(grading.tree), tree))
    room = Room(workspace=tree, home=home, network=Network.NONE)
    inside = grading.sandbox.inside(room)
    invocation = Invocation(
        argv=tuple(command.argv(inside)),
        cwd=inside.workspace,
        env={
            **base_environment(grading.environ),
            "PATH": SYSTEM_PATH,
            "HOME": str(inside.home),
            "TMPDIR": str(inside.tmp),
            "PYTHONDONTWRITEBYTECODE": "1",
            **(command.env(inside) if command.env else {}),
        },
        limits=ProcessLimits(
            wall_sec=command.seconds,
            output_bytes=OUTPUT_BYTES,
            memory_bytes=command.memory_bytes,
            file_bytes=FILE_BYTES,
        ),
        readable=command.readable,
    )
    finished = await grading.launcher.run(grading.sandbox.enter(invocation, room), grading.logs / command.name)
    await run_sync(workspace.open_up, home)
    return Done(finished, home)
