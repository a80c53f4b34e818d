"""Validating many tasks, several at once; what has not changed is taken from the cache."""

import hashlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import anyio
from anyio.to_thread import run_sync
from pydantic import ValidationError

from agent_bench import __version__
from agent_bench.errors import FileError
from agent_bench.history.files import write_durably
from agent_bench.model import Task
from agent_bench.process import open_launcher
from agent_bench.sandboxes.interface import Sandbox
from agent_bench.toolchains.interface import ToolchainError
from agent_bench.toolchains.table import find_toolchain
from agent_bench.validation.findings import Validation, failed, skipped_after
from agent_bench.validation.suite_runs import Runs
from agent_bench.validation.task_validation import validate_task


class Listener(Protocol):
    """Is told of each task as it is done."""

    def __call__(self, validation: Validation) -> None:
        """One more."""


@dataclass(frozen=True)
class Validator:
    """How tasks are validated."""

    sandbox: Sandbox
    cache: Path
    environ: Mapping[str, str]
    jobs: int
    """Test runs at the same time."""
    use_cache: bool = True

    async def validate(self, tasks: Sequence[Task], done: Listener) -> tuple[Validation, ...]:
        """Validates every task, each with its own result: never raises for one of them."""
        found: dict[str, Validation] = {}
        limiter = anyio.CapacityLimiter(self.jobs)
        async with open_launcher() as launcher, _stage() as stage:

            async def one(task: Task) -> None:
                place = stage / hashlib.sha256(task.id.encode()).hexdigest()[:16]
                place.mkdir()
                runs = Runs(task, launcher, self.sandbox, self.cache, self.environ, place, limiter)
                found[task.id] = await self._validated(runs)
                done(found[task.id])
                await run_sync(lambda: shutil.rmtree(place, ignore_errors=True))

            # A few tasks at a time: their runs share the jobs, and what one waits for leaves room for the next.
            tasks_at_once = anyio.CapacityLimiter(max(1, self.jobs))
            async with anyio.create_task_group() as group:
                for task in tasks:
                    await tasks_at_once.acquire_on_behalf_of(task.id)
                    group.start_soon(_released, tasks_at_once, task, one)
        return tuple(found[task.id] for task in tasks)

    async def _validated(self, runs: Runs) -> Validation:
        key = await self._key(runs)
        kept = self.cache / "validations" / f"{key}.json" if key else None
        if kept and self.use_cache and (before := await run_sync(_read, kept)):
            return before.model_copy(update={"cached": True})
        validation = await validate_task(runs)
        if kept and validation.is_lasting:
            await run_sync(write_durably, kept, validation.model_dump_json(indent=1))
        return validation

    async def _key(self, runs: Runs) -> str:
        """Of everything that the result depends on; "" if the toolchain cannot say its versions."""
        task = runs.task
        try:
            version = await find_toolchain(task.toolchain or "").version(runs.kit("key"))
        except ToolchainError:
            return ""
        digest = hashlib.sha256()
        for part in (__version__, task.id, task.digest, version, self.sandbox.name, await run_sync(_program_digest)):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()[:32]


async def _released(limiter: anyio.CapacityLimiter, task: Task, work: "_Work") -> None:
    try:
        await work(task)
    finally:
        limiter.release_on_behalf_of(task.id)


class _Work(Protocol):
    async def __call__(self, task: Task) -> None: ...


@asynccontextmanager
async def _stage() -> AsyncIterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="agent-bench-")).resolve()
    try:
        yield folder
    finally:
        with anyio.CancelScope(shield=True):
            await run_sync(lambda: shutil.rmtree(folder, ignore_errors=True))


def _program_digest() -> str:
    """Of this program itself, the exploits among it: a result is only as good as what found it."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def _read(path: Path) -> Validation | None:
    try:
        return Validation.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def unreadable(task_id: str, error: FileError) -> Validation:
    """The validation of a task whose file or folder is not as it must be."""
    return Validation(
        task_id=task_id,
        language="",
        digest="",
        checks=skipped_after((failed("structure", error.message),), "not made: structure failed"),
    )
