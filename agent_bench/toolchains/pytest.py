"""pytest: runs the tests of a Python project in an environment of its own, in the grading sandbox."""

from pathlib import Path

from anyio.to_thread import run_sync

from agent_bench.graders.execution import Command, execute
from agent_bench.graders.interface import Grading
from agent_bench.sandboxes.interface import Inside
from agent_bench.toolchains.interface import TestRun
from agent_bench.toolchains.python_environment import (
    EnvironmentFailedError,
    PythonEnvironment,
    python_environment,
)
from agent_bench.toolchains.python_project import declared_requirements, project_folder
from agent_bench.workspace import scan

TEST_SECONDS = 30
"""For one test (pytest-timeout)."""


async def project_environment(grading: Grading) -> tuple[PythonEnvironment, str]:
    """The environment of the task's requirements with those that the agent's project declares, and a note.

    If both together cannot be had, the task's alone. Raises ``EnvironmentFailedError`` if not even these.
    """
    tree = await run_sync(scan, grading.tree)
    declared = await run_sync(declared_requirements, grading.tree / project_folder(tree))
    own = grading.task.environment.requirements
    notes = [f"not installed: {', '.join(declared.refused[:5])}"] if declared.refused else []

    async def make(requirements: tuple[str, ...]) -> PythonEnvironment:
        return await python_environment(
            grading.task.environment.python,
            requirements,
            cache=grading.cache,
            launcher=grading.launcher,
            environ=grading.environ,
        )

    if declared.requirements:
        try:
            return await make((*own, *declared.requirements)), "; ".join(notes)
        except EnvironmentFailedError as error:
            notes.append(f"what the project declares could not be installed: {error}")
    return await make(own), "; ".join(notes)


class PytestToolchain:
    """Runs pytest."""

    async def run_tests(self, name: str, seconds: float, grading: Grading) -> TestRun:
        """Runs every test that pytest collects in the project's folder."""
        try:
            environment, note = await project_environment(grading)
        except EnvironmentFailedError as error:
            return TestRun(problem=f"the environment could not be made: {error}")
        folder = project_folder(await run_sync(scan, grading.tree))
        has_src = (grading.tree / folder / "src").is_dir()

        def argv(inside: Inside) -> tuple[str, ...]:
            return (
                *(
                    str(environment.python),
                    "-m",
                    "pytest",
                    "-q",
                    "-p",
                    "no:cacheprovider",
                    f"--timeout={TEST_SECONDS}",
                ),
                *(f"--junit-xml={inside.home}/report.xml", f"--rootdir={inside.workspace / folder}"),
                str(inside.workspace / folder),
            )

        def env(inside: Inside) -> dict[str, str]:
            root = inside.workspace / folder
            return {"PYTHONPATH": f"{root}:{root / 'src'}" if has_src else str(root)}

        done = await execute(Command(name, argv, seconds, environment.readable, env), grading)
        return TestRun(
            finished=done.finished,
            report=Path(done.home) / "report.xml",
            note=note,
            last_words=done.last_words(),
        )
