"""Python environments for grading, made by ``uv``, cached by what is in them, read-only in use.

Nothing but wheels is installed (``--no-build``), so that making one runs no code of anybody's; the package index is
the only network, and only here.
"""

import hashlib
import json
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from anyio.to_thread import run_sync
from uv import find_uv_bin

from agent_bench.environment import base_environment, network_environment
from agent_bench.graders.execution import base_python
from agent_bench.model import Invocation, ProcessLimits
from agent_bench.process import Launcher

SECONDS = 300.0
_LAYOUT = 1
"""Changes when environments are made in another way, so that old ones are not taken for new."""


@dataclass(frozen=True)
class PythonEnvironment:
    """An environment that can run tests."""

    folder: Path
    base: Path
    """Folder of the interpreter that it stands on."""

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def readable(self) -> tuple[Path, ...]:
        """What a sandbox must show for it to run."""
        return (self.folder, self.base)


class EnvironmentFailedError(Exception):
    """An environment could not be made: why, in words. No fault of the agent's."""


async def python_environment(
    python: str | None,
    requirements: tuple[str, ...],
    *,
    cache: Path,
    launcher: Launcher,
    environ: Mapping[str, str],
) -> PythonEnvironment:
    """The environment with pytest, pytest-timeout and the requirements; made if it is not in the cache.

    ``python`` is a version such as "3.12"; None: the interpreter that runs agent-bench. Raises
    ``EnvironmentFailedError``.
    """
    tools = tuple(f"{name}=={version(name)}" for name in ("pytest", "pytest-timeout"))
    wanted = python or str(base_python())
    key = json.dumps([_LAYOUT, wanted, tools, sorted(requirements)])
    target = cache / "envs" / hashlib.sha256(key.encode()).hexdigest()[:24]
    if not target.is_dir():
        # Made elsewhere and moved into place whole: a second process, or a crash, never sees half of one.
        making = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        making.parent.mkdir(parents=True, exist_ok=True)
        uv = _Uv(launcher, environ, cache)
        try:
            await uv.run("venv", "--no-project", "--relocatable", "--python", wanted, str(making))
            interpreter = str(making / "bin" / "python")
            await uv.run("pip", "install", "--no-build", "--python", interpreter, *tools, *requirements)
            await run_sync(_move_into_place, making, target)
        finally:
            await run_sync(lambda: shutil.rmtree(making, ignore_errors=True))
    base = (target / "bin" / "python").resolve().parent.parent
    return PythonEnvironment(target, base)


def _move_into_place(making: Path, target: Path) -> None:
    try:
        making.rename(target)
    except OSError:
        if not target.is_dir():
            raise


@dataclass(frozen=True)
class _Uv:
    """uv, with the user's own index and certificates, out of reach of any project's settings."""

    launcher: Launcher
    environ: Mapping[str, str]
    cache: Path

    async def run(self, *arguments: str) -> None:
        """Runs uv; raises ``EnvironmentFailedError`` with the reason."""
        home = self.environ.get("HOME", str(self.cache))
        kept = {
            name: self.environ[name]
            for name in ("UV_CACHE_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
            if name in self.environ
        }
        invocation = Invocation(
            argv=(find_uv_bin(), *arguments, "--quiet", "--no-progress"),
            # Not in the tree: uv reads the settings of the project that it is called in.
            cwd=self.cache,
            env={**base_environment(self.environ), **network_environment(self.environ), **kept, "HOME": home},
            limits=ProcessLimits(wall_sec=SECONDS),
        )
        finished, stdout, stderr = await self.launcher.run_captured(invocation)
        if finished.exit_code != 0:
            said = (stderr or stdout).decode("utf-8", "replace").strip()
            reason = finished.fault or (f"no end within {SECONDS:g} s" if finished.limit else said)
            raise EnvironmentFailedError(" ".join(reason.split())[:400] or f"uv: exit code {finished.exit_code}")
