"""Real commands in real sandboxes, and a look at the machine's processes that owes nothing to the product."""

import os
import random
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from agent_bench.model import Finished, Invocation, ProcessLimits
from agent_bench.process import Launcher, open_launcher
from agent_bench.sandboxes.interface import Network, Room, Sandbox
from agent_bench.sandboxes.table import find_sandbox

SCRIPTED = Path(__file__).parent / "agents" / "scripted"
PYTHON = str(Path(sys.base_prefix, "bin", "python3"))

_NO_BUBBLEWRAP = find_sandbox("bubblewrap").unavailable()
needs_bubblewrap = pytest.mark.skipif(
    bool(_NO_BUBBLEWRAP) and os.environ.get("CI") != "true", reason=f"bubblewrap: {_NO_BUBBLEWRAP}"
)
in_each_sandbox = pytest.mark.parametrize("sandbox", ["local", pytest.param("bubblewrap", marks=needs_bubblewrap)])


def new_token() -> str:
    """A word for the command line of a process that no other process has; also good as a time to sleep."""
    return f"3600.{random.randrange(10**8, 10**9)}"


def living_with(token: str) -> list[str]:
    """The command lines of all living processes that contain ``token``."""
    return list(numbers_with(token).values())


def numbers_with(token: str) -> dict[int, str]:
    """As ``living_with``, by the numbers of the processes."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if token.encode() in line:
                found[int(entry.name)] = line.replace(b"\0", b" ").decode("utf-8", "replace")
    return found


@dataclass
class Bed:
    """A room on the host, and commands run in it."""

    folder: Path
    sandbox: Sandbox
    launcher: Launcher
    network: Network = Network.NONE
    token: str = field(default_factory=new_token)

    def __post_init__(self) -> None:
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.home.mkdir(exist_ok=True)

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def invocation(
        self,
        *argv: str,
        env: dict[str, str] | None = None,
        stdin: Path | None = None,
        readable: tuple[Path, ...] = (),
        **limits: float,
    ) -> Invocation:
        """The invocation on the host."""
        room = Room(
            workspace=self.workspace,
            home=self.home,
            network=self.network,
            readable=(SCRIPTED, Path(sys.base_prefix)),
        )
        inner = Invocation(
            argv=argv,
            cwd=self.sandbox.inside(room).workspace,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin"} if env is None else env,
            stdin=stdin,
            readable=readable,
            limits=ProcessLimits.model_validate({"wall_sec": 20.0, "grace_sec": 0.5, **limits}),
        )
        return self.sandbox.enter(inner, room)

    async def run(self, *argv: str, name: str = "log", **options: Any) -> Finished:
        """Runs a command."""
        return await self.launcher.run(self.invocation(*argv, **options), self.folder / name)

    async def agent(self, program: str, *arguments: str, **options: Any) -> Finished:
        """Runs a scripted agent; the bed's token stands in its command line."""
        return await self.run(PYTHON, str(SCRIPTED / program), *arguments, self.token, **options)

    async def shell(self, script: str, **options: Any) -> Finished:
        """Runs a shell script; the bed's token stands in its command line."""
        return await self.run("/bin/sh", "-c", script, self.token, **options)


def in_bed(folder: Path, sandbox: str, work: Callable[[Bed], Awaitable[Any]], network: Network = Network.NONE) -> Any:
    """Does ``work`` in a bed of its own, and sees that nothing is left alive."""

    async def main() -> Any:
        async with open_launcher() as launcher:
            bed = Bed(folder, find_sandbox(sandbox), launcher, network)
            result = await work(bed)
            assert living_with(bed.token) == []
            return result

    return anyio.run(main)


def text(path: Path) -> str:
    """What a log holds."""
    return path.read_bytes().decode("utf-8", "replace")
