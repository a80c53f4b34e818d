"""The contract of a toolchain: how a language's tests are run, and where their JUnit report is."""

from pathlib import Path
from typing import Protocol

from agent_bench.graders.interface import Grading
from agent_bench.model import Finished, Frozen


class TestRun(Frozen):
    """What became of running a project's tests."""

    __test__ = False

    finished: Finished | None = None
    """None: they could not be started, for a reason that is not the project's."""
    report: Path | None = None
    """Where the JUnit report should be; written by a process that ran the agent's code: hostile input."""
    problem: str = ""
    """Why they could not be started."""
    note: str = ""
    """What the reader of the result must know besides."""
    last_words: str = ""
    """The last line that the runner said."""


class Toolchain(Protocol):
    """A toolchain. Stateless; never raises for what the project does."""

    async def run_tests(self, name: str, seconds: float, grading: Grading) -> TestRun:
        """Runs all tests of the tree within the time, without network; ``name`` names its logs."""
