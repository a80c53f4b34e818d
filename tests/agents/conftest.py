"""What the tests of the adapters share: an assignment in real folders, and a real run of an invocation in a sandbox."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from agent_bench.agents.interface import Assignment, Evidence, Host
from agent_bench.agents.probing import host_of
from agent_bench.environment import base_environment
from agent_bench.evidence import collect
from agent_bench.model import AgentSpec, Finished, Invocation, ProcessLimits
from agent_bench.process import open_launcher
from agent_bench.sandboxes.interface import Room
from agent_bench.sandboxes.table import find_sandbox

SCRIPTED = Path(__file__).parent / "scripted"


@dataclass(frozen=True)
class Stage:
    """The folders of one trial, and what runs in them."""

    folder: Path
    sandbox_name: str
    environ: dict[str, str]
    """The user's environment."""

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def host(self) -> Host:
        return host_of(self.environ)

    @property
    def room(self) -> Room:
        return Room(workspace=self.workspace, home=self.home)

    def assignment(self, prompt: str, *, solution: Path | None = None, **visible: str) -> Assignment:
        """As the trial makes it; ``visible`` are the variables that the agent may see."""
        sandbox = find_sandbox(self.sandbox_name)
        inside = sandbox.inside(self.room)
        (self.home / "prompt.txt").write_bytes(prompt.encode())
        path = "/usr/local/bin:/usr/bin:/bin" if sandbox.hides_host else self.environ["PATH"]
        own = {"PATH": path, "HOME": str(inside.home), "TMPDIR": str(inside.tmp)}
        return Assignment(
            prompt=prompt,
            prompt_file=self.home / "prompt.txt",
            prompt_file_inside=inside.home / "prompt.txt",
            workspace=inside.workspace,
            home=inside.home,
            solution=solution,
            environ={**base_environment(self.environ), **own, **visible},
            timeout_sec=30,
        )

    def run(self, invocation: Invocation) -> Finished:
        """Really runs it."""
        sandbox = find_sandbox(self.sandbox_name)

        async def go() -> Finished:
            async with open_launcher() as launcher:
                return await launcher.run(sandbox.enter(invocation, self.room), self.folder / "agent")

        return anyio.run(go)

    def run_words(self, *argv: str, readable: tuple[Path, ...] = (), path: tuple[Path, ...] = ()) -> Finished:
        """Really runs a bare call in the sandbox."""
        assignment = self.assignment("x")
        environ = {**assignment.environ, "PATH": ":".join([*map(str, path), assignment.environ["PATH"]])}
        limits = ProcessLimits(wall_sec=30)
        return self.run(Invocation(argv=argv, cwd=assignment.workspace, env=environ, limits=limits, readable=readable))

    def evidence(self, finished: Finished, keeps: tuple[str, ...]) -> Evidence:
        """What was left, as the trial collects it."""
        files = collect(self.home, keeps, self.folder / "traces", ())
        return Evidence(stdout=finished.stdout.read_bytes(), stderr=finished.stderr.read_bytes(), files=files)


@pytest.fixture(params=["local", "bubblewrap"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Stage:
    """A trial's folders, in each sandbox that works here."""
    return _stage(tmp_path, request.param)


@pytest.fixture
def hidden_stage(tmp_path: Path) -> Stage:
    """A trial's folders in the sandbox that hides the host."""
    return _stage(tmp_path, "bubblewrap")


def _stage(tmp_path: Path, sandbox_name: str) -> Stage:
    reason = find_sandbox(sandbox_name).unavailable()
    if reason and os.environ.get("CI") != "true":
        pytest.skip(reason)
    # Not "home": the sandbox's own HOME is /home/agent.
    folder = tmp_path / "trial"
    for name in ("workspace", "home"):
        (folder / name).mkdir(parents=True)
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "user")}
    return Stage(folder, sandbox_name, environ)


@pytest.fixture(scope="session")
def recorder() -> tuple[str, str]:
    """The words of a program that records in ``record.json`` all that it was given."""
    return sys.executable, str(SCRIPTED / "record.py")


@pytest.fixture(scope="session")
def evidence_of() -> Callable[..., Evidence]:
    """Evidence from what a test has at hand."""

    def make(stdout: bytes = b"", stderr: bytes = b"", **files: bytes) -> Evidence:
        return Evidence(stdout=stdout, stderr=stderr, files=files)

    return make


@pytest.fixture(scope="session")
def ended() -> Finished:
    """An agent that ended by itself."""
    return Finished(exit_code=0, seconds=1.0, stdout=Path("/nonexistent"), stderr=Path("/nonexistent"))


@pytest.fixture(scope="session")
def command_spec() -> Callable[..., AgentSpec]:
    """An agent that is a command."""

    def make(command: str | tuple[str, ...], model: str | None = None, **options: object) -> AgentSpec:
        return AgentSpec(name="mine", adapter="command", model=model, options={"command": command, **options})

    return make
