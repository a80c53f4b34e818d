"""What toolchains work with, and what they make ready."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_bench.graders.room import GradingRoom, open_room
from agent_bench.model import Frozen
from agent_bench.process import Launcher
from agent_bench.sandboxes.interface import Sandbox


class ToolchainError(Exception):
    """The toolchain is not to be had on this machine: why, in words. No fault of the agent's."""


class Provision(Frozen):
    """What a command needs to use the language: made once, shared, shown read-only."""

    readable: tuple[Path, ...] = ()
    """What a sandbox must show, at the same place."""
    path: tuple[Path, ...] = ()
    """Folders of programs, before the system's in PATH."""
    env: Mapping[str, str] = {}
    beside: Mapping[str, Path] = {}
    """Folders shown beside the workspace under these names (``node_modules``): found by walking up."""


@dataclass(frozen=True)
class Kit:
    """What a toolchain works with."""

    launcher: Launcher
    sandbox: Sandbox
    cache: Path
    """Kept between runs; several processes may use it at once."""
    environ: Mapping[str, str]
    """The user's environment: for registries and certificates, never handed on whole."""
    scratch: Path
    """An empty folder of this use alone."""
    logs: Path

    async def room(self, name: str, tree: Path, provision: Provision) -> GradingRoom:
        """A room with a fresh copy of the tree."""
        return await open_room(
            name,
            tree,
            fresh_copy=True,
            launcher=self.launcher,
            sandbox=self.sandbox,
            scratch=self.scratch,
            logs=self.logs,
            environ=self.environ,
            beside=provision.beside,
        )
