"""The room that a grader runs a command in: the sandbox, no network, a HOME of its own, our own PATH."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anyio.to_thread import run_sync

from agent_bench import workspace
from agent_bench.environment import base_environment
from agent_bench.evidence import read_regular
from agent_bench.model import Finished, Invocation, ProcessLimits
from agent_bench.process import Launcher
from agent_bench.sandboxes.interface import Inside, Room, Sandbox

SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
FILE_BYTES = 1 << 30
OUTPUT_BYTES = 64 << 20
_MAX_LOG_BYTES = 4 << 20
_MAX_WORDS_CHARS = 200


@dataclass(frozen=True)
class Ran:
    """What became of a command."""

    finished: Finished

    @property
    def stdout(self) -> bytes:
        """What it wrote, as far as the log holds it."""
        return read_regular(self.finished.stdout, _MAX_LOG_BYTES) or b""

    @property
    def last_words(self) -> str:
        """The last line that it said, escaped and cut, for a reason."""
        for path in (self.finished.stderr, self.finished.stdout):
            text = (read_regular(path, _MAX_LOG_BYTES) or b"").decode("utf-8", "replace")
            said = [line.strip() for line in text.split("\n") if line.strip()]
            if said:
                return workspace.shown(said[-1])[:_MAX_WORDS_CHARS]
        return ""

    @property
    def stopped_by(self) -> str | None:
        """The limit that ended it, in words."""
        limit = self.finished.limit
        if limit is None:
            return None
        if limit.name == "output_bytes":
            return f"more than {int(limit.value) >> 20} MiB of output"
        return f"no end within {limit.value:g} s"


@dataclass(frozen=True)
class GradingRoom:
    """A place for one command. Where the sandbox hides the host, only the workspace and HOME can be written."""

    tree: Path
    """The tree, as a process in the room sees it."""
    host_tree: Path
    host_home: Path
    """HOME on the host. What a command wrote there is hostile."""
    inside: Inside
    _launcher: Launcher
    _sandbox: Sandbox
    _room: Room
    _environ: Mapping[str, str]
    _logs: Path

    async def run(
        self,
        argv: Sequence[str],
        *,
        seconds: float,
        cwd: Path | None = None,
        readable: Sequence[Path] = (),
        path_before: Sequence[Path] = (),
        path_after: Sequence[Path] = (),
        env: Mapping[str, str] | None = None,
        memory_bytes: int | None = None,
        descriptors: Mapping[int, str] | None = None,
    ) -> Ran:
        """Runs a command to its end, in the room's workspace unless ``cwd`` says otherwise.

        Its PATH is the system's, with what is asked for before or after.
        """
        invocation = Invocation(
            argv=tuple(argv),
            cwd=cwd or self.inside.workspace,
            env={
                **base_environment(self._environ),
                "PATH": ":".join(map(str, (*path_before, *SYSTEM_PATH, *path_after))),
                "HOME": str(self.inside.home),
                "TMPDIR": str(self.inside.tmp),
                "PYTHONDONTWRITEBYTECODE": "1",
                **(env or {}),
            },
            limits=ProcessLimits(
                wall_sec=seconds, output_bytes=OUTPUT_BYTES, memory_bytes=memory_bytes, file_bytes=FILE_BYTES
            ),
            readable=tuple(readable),
            descriptors=descriptors or {},
        )
        finished = await self._launcher.run(self._sandbox.enter(invocation, self._room), self._logs)
        await run_sync(workspace.open_up, self.host_home)
        if finished.survivors and not finished.fault:
            # Whatever still runs may write: nothing can be concluded.
            finished = finished.model_copy(update={"fault": f"{finished.survivors} processes could not be ended"})
        return Ran(finished)


async def open_room(
    name: str,
    tree: Path,
    *,
    fresh_copy: bool,
    launcher: Launcher,
    sandbox: Sandbox,
    scratch: Path,
    logs: Path,
    environ: Mapping[str, str],
    beside: Mapping[str, Path] | None = None,
) -> GradingRoom:
    """A room. With ``fresh_copy`` its workspace is a copy of the tree, to do with as one likes; else it is empty.

    Then the tree can be read in its own place (where the sandbox hides the host: only read).
    """
    home, work = scratch / name / "home", scratch / name / "tree"
    await run_sync(lambda: home.mkdir(parents=True))
    if fresh_copy:
        await run_sync(lambda: workspace.rebuild(workspace.scan(tree), work))
    else:
        await run_sync(work.mkdir)
    room = Room(workspace=work, home=home, readable=() if fresh_copy else (tree,), beside=beside or {})
    inside = sandbox.inside(room)
    return GradingRoom(
        tree=inside.workspace if fresh_copy else tree,
        host_tree=work if fresh_copy else tree,
        host_home=home,
        inside=inside,
        _launcher=launcher,
        _sandbox=sandbox,
        _room=room,
        _environ=environ,
        _logs=logs / f"check-{name}",
    )
