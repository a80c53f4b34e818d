"""Python interpreters and environments for grading, made by ``uv``, apart from the one that runs agent-bench.

Nothing but wheels is installed (``--no-build``), and the environment's own interpreter is not started before it
runs in a sandbox: making one runs no code of anybody's. The package index is the only network, and only here.
"""

import hashlib
import json
import secrets
import shutil
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.to_thread import run_sync

from agent_bench.model import Frozen, Invocation, ProcessLimits
from agent_bench.toolchains.interface import ToolchainError
from agent_bench.toolchains.uv import Uv

_LAYOUT = 1
"""Changes when environments are made in another way, so that old ones are not taken for new."""
_COMPILE_SECONDS = 120.0


class Interpreter(Frozen):
    """A program that runs Python."""

    program: Path
    readable: tuple[Path, ...]
    """What a sandbox must show for it to run."""
    note: str = ""
    """What the reader of a result must know besides."""


async def find_interpreter(version: str | None, uv: Uv) -> Interpreter:
    """The interpreter of a version such as "3.12"; None: the one that runs agent-bench, without its packages.

    Raises ``ToolchainError`` if the version is not installed.
    """
    if version is None or version == f"{sys.version_info.major}.{sys.version_info.minor}":
        program = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
        return Interpreter(program=program, readable=(program.parent.parent, Path(sys.base_prefix).resolve()))
    try:
        found = await uv.run("python", "find", "--no-project", "--system", version)
    except ToolchainError as error:
        raise ToolchainError(f"Python {version}: {error} (to install it: uv python install {version})") from error
    program = Path(found.strip()).resolve()
    return Interpreter(program=program, readable=(program.parent.parent,))


@dataclass(frozen=True)
class EnvironmentMaker:
    """Makes environments in a folder, each once: named after what is in it."""

    folder: Path
    base: Interpreter
    uv: Uv
    kept: bool
    """For more than one grading: worth compiling."""

    async def make(self, requirements: Sequence[str]) -> Interpreter:
        """The environment with these requirements (PEP 508). Raises ``ToolchainError``.

        It is made under another name and moved into place whole, so that neither a crash nor a second process
        doing the same leaves or sees half of one.
        """
        key = json.dumps([_LAYOUT, str(self.base.program), sorted(requirements)])
        target = self.folder / hashlib.sha256(key.encode()).hexdigest()[:24]
        if not _is_usable(target):
            making = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
            await run_sync(lambda: making.parent.mkdir(parents=True, exist_ok=True))
            try:
                await self._fill(making, target, requirements)
                await run_sync(_move_into_place, making, target)
            finally:
                with anyio.CancelScope(shield=True):
                    await run_sync(lambda: shutil.rmtree(making, ignore_errors=True))
        return Interpreter(program=target / "bin" / "python", readable=(target, *self.base.readable))

    async def _fill(self, making: Path, target: Path, requirements: Sequence[str]) -> None:
        await self.uv.run(
            "venv", "--quiet", "--no-project", "--relocatable", "--python", str(self.base.program), str(making)
        )
        # Copies: a link into uv's cache would let whoever writes here change every other environment.
        options = ("--quiet", "--no-build", "--link-mode", "copy", "--python", str(making / "bin" / "python"))
        try:
            await self.uv.run("pip", "install", *options, *requirements)
        except ToolchainError as error:
            try:  # without the index, what is in uv's cache may do
                await self.uv.run("pip", "install", "--offline", *options, *requirements)
            except ToolchainError:
                raise error from None
        if self.kept:
            await self._compile(making, target)
            await run_sync(_protect, making)

    async def _compile(self, making: Path, target: Path) -> None:
        """Compiles it, so that starting pytest takes 0.3 s instead of 0.8; by the interpreter it stands on, for its
        own would run what packages put into ``.pth`` files. That it fails is no harm."""
        places = ("-s", str(making), "-p", str(target))
        argv = (str(self.base.program), "-I", "-S", "-m", "compileall", "-q", *places, str(making / "lib"))
        limits = ProcessLimits(wall_sec=_COMPILE_SECONDS)
        await self.uv.launcher.run_captured(Invocation(argv=argv, cwd=making, env={}, limits=limits))


def _is_usable(target: Path) -> bool:
    """Whether it is there, and the interpreter that it links to still is."""
    return (target / "bin" / "python").exists()


def _move_into_place(making: Path, target: Path) -> None:
    try:
        making.rename(target)
    except OSError:
        if _is_usable(target):  # another process was faster
            return
        shutil.rmtree(target)  # its interpreter is gone
        making.rename(target)


def _protect(folder: Path) -> None:
    """Takes the right to write away from its files. Its folders keep it, so that it can be removed as ever."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)
