"""The contract of a toolchain: how a language's withheld tests run on a tree, and where their JUnit report is.

A toolchain starts whatever runs the agent's code in a ``GradingRoom``: sandboxed, without network. What it finds in
the tree that is not the author's is hostile.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent_bench.graders.room import GradingRoom
from agent_bench.model import Finished, Frozen, Task
from agent_bench.toolchains.kit import Kit, Provision, ToolchainError

__all__ = ["Canaries", "Kit", "Provision", "Suite", "SuiteRun", "Toolchain", "ToolchainError"]


class Canaries(Frozen):
    """Two tests added to the graded ones: one must pass, the other must fail, or the report is forged."""

    files: Mapping[str, str]
    """Relative POSIX path in the tree, below tests/hidden, to content."""
    passing: str
    failing: str
    """Their names as the report gives them (the last part, as ``normalize_test_name`` leaves it)."""


@dataclass(frozen=True)
class Suite:
    """The author's tests as they lie in a rebuilt tree, with the canaries among them."""

    task: Task
    files: tuple[str, ...]
    """Relative POSIX paths of every test file of the author's and of the canaries; not of their data files."""
    seconds: float
    """For building and running all of it."""
    seed: int = 0
    """0: in the usual order; else the order of tests is drawn by it, where the runner can."""
    only: str | None = None
    """Run this one test alone, where the runner can (its name as reported)."""


class SuiteRun(Frozen):
    """What became of running a suite."""

    finished: Finished
    reports: tuple[Path, ...]
    """JUnit files on the host; written where the agent's code ran: hostile input. None there: not built or crashed."""
    stopped_by: str | None = None
    """The limit that ended it, in words."""
    last_words: str = ""
    """The last line that the runner said, or the compiler's first error."""
    said: Mapping[str, str] | None = None
    """Test to outcome (``passed`` or another word) as the runner told it while tests ran, by a way that cannot be
    taken back; by any name that ``readers.identity.names_of`` gives, the qualified one at best. None: no such way."""
    tampered: tuple[str, ...] = ()
    """Signs of forging that the toolchain itself has seen, one sentence each."""


class Toolchain(Protocol):
    """A toolchain. Stateless."""

    name: str
    language: str
    isolates_tests: bool
    """Whether each test runs in a process of its own: then none can depend on another."""
    failed_code: int
    """The runner's exit code when all ran and some test failed: what every honest graded run ends with."""

    def unavailable(self, environ: Mapping[str, str]) -> str | None:
        """What is missing on this machine and how to install it, or None. Quick; may look at PATH only."""

    async def version(self, kit: Kit) -> str:
        """The versions that results depend on, in one line. Raises ``ToolchainError``."""

    async def prepare(self, task: Task, kit: Kit) -> Provision:
        """What the task needs, made once (by its lock files) in the cache: the only step with a network.

        It looks at the author's files only, never at an agent's. Raises ``ToolchainError``.
        """

    def is_test_file(self, path: str) -> bool:
        """Whether the runner is given this file of tests/public or tests/hidden."""

    def is_protected(self, path: str) -> bool:
        """Whether a file of the workspace decides how tests are built, found, run or reported: only the author's
        version is graded, and one of the agent's own is left out. Relative POSIX path; hostile."""

    def canaries(self, draw: random.Random, tests: Mapping[str, str]) -> Canaries:
        """Two tests that look like their neighbours; ``tests``: the author's hidden test files, path to text."""

    async def run_suite(self, suite: Suite, room: GradingRoom, provision: Provision) -> SuiteRun:
        """Runs the tests of ``suite.files`` in the room, whose tree holds them already. Raises ``ToolchainError``.

        It raises nothing for what the agent's code does.
        """
