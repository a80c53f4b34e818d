"""The contract of a toolchain: how a language's programs and tests run, and where the tests' JUnit report is."""

from pathlib import Path
from typing import Protocol

from agent_bench.graders.interface import Grading
from agent_bench.model import Finished, Frozen


class Interpreter(Frozen):
    """A program that runs the language."""

    program: Path
    readable: tuple[Path, ...]
    """What a sandbox must show for it to run."""
    note: str = ""
    """What the reader of a result must know besides."""


class ToolchainError(Exception):
    """The toolchain is not to be had on this machine: why, in words. No fault of the agent's."""


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


class Toolchain(Protocol):
    """A toolchain. Stateless. It raises nothing for what the project does."""

    async def interpreter(self, grading: Grading) -> Interpreter:
        """The language alone, of the task's version. Raises ``ToolchainError``."""

    async def environment(self, grading: Grading) -> Interpreter:
        """With what the task requires and the project declares. Raises ``ToolchainError``."""

    async def run_tests(self, name: str, seconds: float, grading: Grading) -> TestRun:
        """Runs all tests of the tree within the time, without network; ``name`` is the check's.

        Raises ``ToolchainError``.
        """
