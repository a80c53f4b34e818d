"""An agent's own Python project: its interpreter, its environment, and its own tests, in the grading sandbox."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from anyio.to_thread import run_sync

from agent_bench.graders.interface import Grading
from agent_bench.model import Finished, Frozen
from agent_bench.toolchains.interface import ToolchainError
from agent_bench.toolchains.python_environment import EnvironmentMaker, Interpreter, find_interpreter
from agent_bench.toolchains.python_project import declared_requirements, project_folder
from agent_bench.toolchains.uv import Uv

TEST_SECONDS = 30
"""For one test (pytest-timeout)."""
MEMORY_BYTES = 8 << 30
_TOOLS = ("pytest", "pytest-timeout")
_TOOL = re.compile(r"pytest([-_.]timeout)?(?![-_.\w])", re.IGNORECASE)
_REPORT = "report.xml"


class TestRun(Frozen):
    """What became of running a project's tests."""

    __test__ = False

    finished: Finished
    report: Path
    """Where the JUnit report should be; written by a process that ran the agent's code: hostile input."""
    stopped_by: str | None = None
    """The limit that ended them, in words."""
    note: str = ""
    """What the reader of the result must know besides."""
    last_words: str = ""
    """The last line that the runner said."""


class PythonLanguage:
    """Python with pytest, for trees whose tests and settings are the agent's own. Raises nothing for what they do."""

    async def interpreter(self, grading: Grading) -> Interpreter:
        """Python of the task's version, without any package."""
        return await find_interpreter(grading.task.environment.python, _uv(grading))

    async def environment(self, grading: Grading) -> Interpreter:
        """The task's requirements with those that the agent's project declares; else the task's alone, with a note.

        What the task alone requires is kept in the cache; what a project adds is made for this grading only.
        """
        base = await self.interpreter(grading)
        uv, own = _uv(grading), grading.task.environment.requirements
        folder = await run_sync(lambda: project_folder(grading.found.files))
        declared = await run_sync(declared_requirements, grading.tree / folder, _files_below(grading, folder))
        notes = [f"not installed: {', '.join(declared.refused)}"] if declared.refused else []
        added = [text for text in declared.requirements if not _TOOL.match(text)]
        if not set(added) <= set(own):
            maker = EnvironmentMaker(grading.scratch / "environments", base, uv, kept=False)
            # A plugin that the project pins may need an older pytest than ours.
            for requirements in ((*our_tools(), *added), (*_TOOLS, *declared.requirements)):
                made = await _try(maker, (*own, *requirements))
                if made.interpreter:
                    return _noted(made.interpreter, notes)
            notes.append(f"without what the project declares, for it could not be installed: {made.problem}")
        maker = EnvironmentMaker(grading.cache / "envs", base, uv, kept=True)
        return _noted(await maker.make((*our_tools(), *own)), notes)

    async def run_tests(self, name: str, seconds: float, grading: Grading) -> TestRun:
        """Runs what pytest collects in the project's folder, by the project's own settings.

        The tests are the agent's own work, and so is how they run: nothing here keeps them from reporting what they
        like. Raises ``ToolchainError``.
        """
        try:
            python = await self.environment(grading)
        except ToolchainError as error:
            raise ToolchainError(f"the environment could not be made: {error}") from error
        room = await grading.fresh_room(name)
        folder = room.tree / project_folder(grading.found.files)
        # Ends pytest's search for settings in the folders above, where the tree is not alone.
        await run_sync(lambda: room.host_tree.with_name("pytest.ini").write_text("[pytest]\n", encoding="utf-8"))
        ran = await room.run(
            _argv(python, folder, room.inside.home / _REPORT),
            seconds=seconds,
            cwd=folder,
            readable=python.readable,
            path_before=(python.program.parent,),
            env={"PYTHONPATH": f"{folder}:{folder / 'src'}", "VIRTUAL_ENV": str(python.program.parent.parent)},
            memory_bytes=MEMORY_BYTES,
        )
        return TestRun(
            finished=ran.finished,
            report=room.host_home / _REPORT,
            stopped_by=ran.stopped_by,
            note=python.note,
            last_words=ran.last_words,
        )


def _argv(python: Interpreter, folder: Path, report: Path) -> tuple[str, ...]:
    return (
        *(str(python.program), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--timeout={TEST_SECONDS}"),
        "--continue-on-collection-errors",
        *(f"--junit-xml={report}", f"--rootdir={folder}"),
    )


def _uv(grading: Grading) -> Uv:
    return Uv(grading.launcher, grading.environ, grading.cache)


def our_tools() -> tuple[str, ...]:
    """At the versions that we ourselves are installed and tested with."""
    return tuple(f"{name}=={version(name)}" for name in _TOOLS)


def _files_below(grading: Grading, folder: str) -> list[str]:
    prefix = f"{folder}/" if folder else ""
    return [path.removeprefix(prefix) for path in grading.found.files]


@dataclass(frozen=True)
class _Made:
    interpreter: Interpreter | None
    problem: str = ""


async def _try(maker: EnvironmentMaker, requirements: Sequence[str]) -> _Made:
    try:
        return _Made(await maker.make(requirements))
    except ToolchainError as error:
        return _Made(None, str(error))


def _noted(interpreter: Interpreter, notes: Sequence[str]) -> Interpreter:
    return interpreter.model_copy(update={"note": "; ".join(notes)})
