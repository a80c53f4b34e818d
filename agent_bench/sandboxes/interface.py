"""The contract of a sandbox: where an agent or a grader runs.

A sandbox is a pure rewriting of an ``Invocation``: ``process.Launcher`` starts what it returns.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from agent_bench.model import Frozen, Invocation


class Network(StrEnum):
    """What a sandboxed process can reach."""

    NONE = "none"
    OPEN = "open"


class Room(Frozen):
    """The host folders that a process in the sandbox is given. All exist and are absolute."""

    workspace: Path
    """Writable; the working directory."""
    home: Path
    """Writable, thrown away afterwards; also holds its TMPDIR."""
    readable: tuple[Path, ...] = ()
    """Read-only, at the same place inside; an invocation's own ``readable`` comes on top."""
    beside: Mapping[str, Path] = {}
    """Folders shown beside the workspace under these names, read-only where the sandbox can: ``node_modules``."""
    network: Network = Network.NONE


class Inside(Frozen):
    """Where the folders of a room are for the process."""

    workspace: Path
    home: Path
    tmp: Path


class Sandbox(Protocol):
    """A place to run in. Stateless; never raises in ``enter``."""

    name: str
    hides_host: bool
    """Whether the host's files, other than system programs and ``readable``, are out of sight."""

    def unavailable(self) -> str | None:
        """Why it does not work on this machine and what to do, or None."""

    def inside(self, room: Room) -> Inside:
        """The paths as the process will see them; use these in argv and env."""

    def enter(self, invocation: Invocation, room: Room) -> Invocation:
        """The invocation to start on the host so that the given one runs in the sandbox."""
