"""Gradings of small trees, with real processes in real sandboxes."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from agent_bench.costs.pricing import PriceTable, parse_prices
from agent_bench.graders.interface import Grading, JudgeSettings
from agent_bench.graders.table import find_grader
from agent_bench.grading import grade
from agent_bench.model import Check, Environment, Score, Signal, Task
from agent_bench.process import open_launcher
from agent_bench.sandboxes.table import find_sandbox
from agent_bench.workspace import compare, scan

Content = str | bytes

PRICES = """
as_of = 2026-12-01
[models."judge-model"]
input = 3.0
output = 15.0
cache_read = 0.3
cache_write = 3.75
"""


def prices() -> PriceTable:
    return parse_prices(PRICES, Path("pricing.toml"))


def write_files(folder: Path, files: Mapping[str, Content]) -> None:
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)


@dataclass
class GradingBed:
    """A folder for gradings. ``files`` of a grading are the agent's, ``starting`` the task's."""

    folder: Path
    cache: Path
    sandbox: str = "local"
    environment: Environment = Environment()
    judge: JudgeSettings = JudgeSettings(enabled=False)
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    gradings: int = 0

    def signal(
        self,
        grader: str,
        files: Mapping[str, Content],
        options: Mapping[str, Any] | None = None,
        starting: Mapping[str, Content] | None = None,
    ) -> Signal:
        """What one grader makes of a tree."""
        check = Check(name=grader, grader=grader, options=options or {}, weight=1)

        async def main() -> Signal:
            async with open_launcher() as launcher:
                grading = self.grading([check], files, starting or {}, launcher)
                return await find_grader(grader).observe(check, grading)

        return anyio.run(main)

    def grade(
        self,
        checks: Iterable[Check],
        files: Mapping[str, Content],
        starting: Mapping[str, Content] | None = None,
        grader_seconds: float = 60,
    ) -> tuple[dict[str, Signal], Score]:
        """The signals by name, and the score."""

        async def main() -> tuple[tuple[Signal, ...], Score]:
            async with open_launcher() as launcher:
                grading = self.grading(checks, files, starting or {}, launcher)
                return await grade(grading, grader_seconds=grader_seconds)

        signals, score = anyio.run(main)
        return {signal.name: signal for signal in signals}, score

    def grading(
        self, checks: Iterable[Check], files: Mapping[str, Content], starting: Mapping[str, Content], launcher: Any
    ) -> Grading:
        self.gradings += 1
        place = self.folder / f"grading-{self.gradings}"
        for folder in ("starting", "tree", "scratch", "logs"):
            (place / folder).mkdir(parents=True)
        write_files(place / "starting", starting)
        write_files(place / "tree", {**starting, **files})
        task = Task(
            id="task",
            format="prompt",
            digest="0",
            title="Task",
            instruction="Write it.",
            environment=self.environment,
            checks=tuple(checks),
            source=place / "task.yaml",
        )
        return Grading(
            task=task,
            tree=place / "tree",
            produced=compare(scan(place / "starting"), scan(place / "tree")),
            launcher=launcher,
            sandbox=find_sandbox(self.sandbox),
            scratch=place / "scratch",
            logs=place / "logs",
            cache=self.cache,
            judge=self.judge,
            prices=prices(),
            environ=self.environ,
        )
