"""Running uv: a trusted program, with the user's package index, out of reach of any project's settings."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from anyio.to_thread import run_sync
from uv import find_uv_bin

from agent_bench.environment import base_environment
from agent_bench.model import Invocation, ProcessLimits
from agent_bench.process import Launcher
from agent_bench.toolchains.interface import ToolchainError
from agent_bench.toolchains.package_index import index_environment

SECONDS = 180.0
_MAX_REASON_CHARS = 400


@dataclass(frozen=True)
class Uv:
    """uv. ``run`` raises ``ToolchainError`` with what it said."""

    launcher: Launcher
    environ: Mapping[str, str]
    folder: Path
    """Where it is called: uv reads the settings of the project that it is called in, so never in the tree."""

    async def run(self, *arguments: str) -> str:
        """Runs it; what it wrote on stdout. Its Pythons are those of this machine: none is downloaded."""
        invocation = Invocation(
            argv=(_program(), *arguments, "--no-progress", "--no-python-downloads"),
            cwd=self.folder,
            env=await run_sync(self._environment),
            limits=ProcessLimits(wall_sec=SECONDS),
        )
        finished, stdout, stderr = await self.launcher.run_captured(invocation)
        if finished.exit_code == 0:
            return stdout.decode("utf-8", "replace")
        said = " ".join((stderr or stdout).decode("utf-8", "replace").split())[:_MAX_REASON_CHARS]
        late = f"no end within {SECONDS:g} s" if finished.limit else ""
        raise ToolchainError(finished.fault or late or said or f"uv: exit code {finished.exit_code}")

    def _environment(self) -> dict[str, str]:
        """Its cache and settings are the user's; which Python it takes is not for the user's variables to say."""
        return {
            **base_environment(self.environ),
            **index_environment(self.environ),
            "HOME": self.environ.get("HOME", str(self.folder)),
            "PATH": _search_path(self.environ),
        }


def _program() -> str:
    try:
        return find_uv_bin()
    except FileNotFoundError as error:
        raise ToolchainError(f"uv is not installed ({error})") from error


def _search_path(environ: Mapping[str, str]) -> str:
    """PATH with pyenv's Pythons instead of its shims: uv stops at a shim whose version is not switched on."""
    folders = [folder for folder in environ.get("PATH", "").split(os.pathsep) if folder]
    pyenv = Path(environ.get("PYENV_ROOT") or Path(environ.get("HOME", "/nonexistent")) / ".pyenv")
    own = sorted(pyenv.glob("versions/*/bin"), reverse=True)
    real = [folder for folder in folders if Path(folder) != pyenv / "shims"]
    return os.pathsep.join([*real, *map(str, own), "/usr/local/bin", "/usr/bin", "/bin"])
