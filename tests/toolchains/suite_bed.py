"""Suites of small trees, prepared and run as a verified task's are: in real rooms, with the real tools."""

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from grading_bed import write_files

from agent_bench.model import Task
from agent_bench.process import open_launcher
from agent_bench.readers.identity import names_of
from agent_bench.readers.junit import ReportError, TestCase, read_junit
from agent_bench.sandboxes.table import find_sandbox
from agent_bench.toolchains.interface import Canaries, Kit, Provision, Suite, SuiteRun, Toolchain

Files = Mapping[str, str]


@dataclass(frozen=True)
class Graded:
    """What came of a suite."""

    run: SuiteRun
    cases: tuple[TestCase, ...]
    canaries: Canaries
    provision: Provision
    tree: Path
    """The room's, after the run."""
    failed_code: int

    @property
    def outcomes(self) -> dict[str, str]:
        """By name, without the canaries; the worst of several."""
        canaries = (self.canaries.passing, self.canaries.failing)
        return {name: outcome for name, outcome in self.all_outcomes.items() if name not in canaries}

    @property
    def all_outcomes(self) -> dict[str, str]:
        ranked = sorted(self.cases, key=lambda case: ("skipped", "passed", "failed", "error").index(case.outcome))
        return {case.name: case.outcome for case in ranked}

    @property
    def canaries_sing(self) -> bool:
        """The one passed, the other failed, each once."""
        seen = [(case.name, case.outcome) for case in self.cases]
        return (
            seen.count((self.canaries.passing, "passed")) == 1
            and seen.count((self.canaries.failing, "failed")) == 1
            and sum(name in (self.canaries.passing, self.canaries.failing) for name, _ in seen) == 2
        )

    def resolves(self, *declared: str) -> bool:
        """As a verified task's verdict has it: these tests passed, once each, and nothing speaks against it."""
        seen = [(case.name, case.outcome) for case in self.cases]
        said = self.run.said
        names = {case.name: names_of(case) for case in self.cases}
        return (
            all(seen.count((name, "passed")) == 1 and [n for n, _ in seen].count(name) == 1 for name in declared)
            and (
                said is None
                or all({said.get(each) for each in names[name]} - {None} == {"passed"} for name in declared)
            )
            and not self.run.tampered
            and self.canaries_sing
            and self.run.stopped_by is None
            and self.run.finished.fault is None
            and self.run.finished.exit_code == self.failed_code
        )


@dataclass
class SuiteBed:
    """An author's task. ``files`` is the workspace, ``tests`` what stands below tests/, by path in the tree."""

    toolchain: Toolchain
    folder: Path
    cache: Path
    files: Files
    tests: Files
    sandbox: str = "local"
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    runs: int = 0

    def grade(self, changes: Files | None = None, **options: Any) -> Graded:
        """The agent's ``changes`` over the workspace, graded."""
        return self.grade_all([changes or {}], **options)[0]

    def grade_all(self, trees: Sequence[Files], **options: Any) -> list[Graded]:
        """Several agents' changes, at the same time."""
        found: dict[int, Graded] = {}

        async def main() -> None:
            async with open_launcher() as launcher:

                async def one(number: int, changes: Files) -> None:
                    found[number] = await self._grade(self.kit(launcher), changes, **options)

                async with anyio.create_task_group() as group:
                    for number, changes in enumerate(trees):
                        group.start_soon(one, number, changes)

        anyio.run(main)
        return [found[number] for number in range(len(trees))]

    def prepare(self) -> Provision:
        async def main() -> Provision:
            async with open_launcher() as launcher:
                kit = self.kit(launcher)
                return await self.toolchain.prepare(self._task(kit.scratch), kit)

        return anyio.run(main)

    def kit(self, launcher: Any) -> Kit:
        self.runs += 1
        place = self.folder / f"use-{self.runs}"
        for folder in ("scratch", "logs"):
            (place / folder).mkdir(parents=True)
        self.cache.mkdir(exist_ok=True)
        return Kit(
            launcher=launcher,
            sandbox=find_sandbox(self.sandbox),
            cache=self.cache,
            environ=self.environ,
            scratch=place / "scratch",
            logs=place / "logs",
        )

    def _task(self, place: Path) -> Task:
        starting = place.with_name("starting")
        write_files(starting, {**self.files, **{path: text for path, text in self.tests.items() if "/public/" in path}})
        return Task(
            id="task", format="verified", digest="0", title="Task", instruction="Do it.", workspace=starting,
            source=place / "task.yaml",
        )  # fmt: skip

    async def _grade(self, kit: Kit, changes: Files, seconds: float = 60, seed: int = 0, only: str = "") -> Graded:
        task = self._task(kit.scratch)
        provision = await self.toolchain.prepare(task, kit)
        hidden = {path: text for path, text in self.tests.items() if "/hidden/" in path}
        canaries = self.toolchain.canaries(random.Random(kit.scratch.parent.name), hidden)
        tests = {**self.tests, **canaries.files}
        mine = {path: text for path, text in changes.items() if not self.toolchain.is_protected(path)}
        tree = kit.scratch.with_name("tree")
        write_files(tree, {**self.files, **mine, **tests})
        room = await kit.room("suite", tree, provision)
        files = tuple(sorted(path for path in tests if self.toolchain.is_test_file(path)))
        suite = Suite(task=task, files=files, seconds=seconds, seed=seed, only=only or None)
        run = await self.toolchain.run_suite(suite, room, provision)
        return Graded(run, _cases(run), canaries, provision, room.host_tree, self.toolchain.failed_code)


def _cases(run: SuiteRun) -> tuple[TestCase, ...]:
    found: list[TestCase] = []
    for path in run.reports:
        if path.is_file():
            try:
                report = read_junit(path.read_bytes())
            except ReportError:
                return ()
            if report.declared not in (None, len(report.cases)):
                return ()
            found += report.cases
    return tuple(found)
