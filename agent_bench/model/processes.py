"""A process to start, and what became of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from agent_bench.model.frozen import Frozen


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
