"""The signal ``ruff``: whether our linter, with our rules, finds nothing."""

import json
import sys
from pathlib import Path

from anyio.to_thread import run_sync
from ruff import find_ruff_bin

from agent_bench.graders.execution import Command, execute
from agent_bench.graders.interface import Grading
from agent_bench.model import Check, Signal
from agent_bench.workspace import scan

SECONDS = 60.0

RULES = "E4,E7,E9,F"
"""Ruff's own default rules: errors, undefined and unused names, broken imports; nothing that is a matter of taste."""


class RuffGrader:
    """1.0 if ``ruff check`` exits 0, 0.0 if it exits 1. No ``.py``, or nothing produced: not observed.

    The agent cannot switch it off: its configuration (``--isolated``), its ``noqa`` comments, its ``.gitignore``
    and ruff's default exclusions are all disregarded.
    """

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal."""
        if grading.unchanged:
            return Signal(name=check.name, reason="nothing was produced")
        files = [path for path in (await run_sync(scan, grading.tree)).files if path.endswith((".py", ".pyi"))]
        if not files:
            return Signal(name=check.name, reason="no Python file")
        program = Path(find_ruff_bin()).resolve()
        version = grading.task.environment.python or f"{sys.version_info.major}.{sys.version_info.minor}"
        command = Command(
            name=check.name,
            argv=lambda _: (
                *(
                    str(program),
                    "check",
                    "--isolated",
                    "--no-cache",
                    "--ignore-noqa",
                    "--no-respect-gitignore",
                ),
                *(
                    "--config",
                    "exclude = []",
                    "--select",
                    RULES,
                    "--target-version",
                    f"py{version.replace('.', '')}",
                ),
                *("--statistics", "--output-format", "json", "."),
            ),
            seconds=SECONDS,
            readable=(program,),
            own_tree=False,
        )
        done = await execute(command, grading)
        if done.finished.exit_code == 0:
            return Signal(name=check.name, value=1.0, reason=f"{len(files)} Python files, nothing found")
        if done.finished.exit_code == 1:
            counts = _counts(done.stdout())
            found = ", ".join(f"{rule} {count}" for rule, count in list(counts.items())[:5])
            total = sum(counts.values())
            return Signal(name=check.name, value=0.0, reason=f"{total} findings: {found}", facts={"rules": counts})
        reason = done.finished.fault or f"ruff failed (exit code {done.finished.exit_code}): {done.last_words()}"
        return Signal(name=check.name, reason=reason)


def _counts(output: bytes) -> dict[str, int]:
    """How often each rule was broken; empty if ruff's output is not as we know it."""
    try:
        return {str(row["code"] or row["name"]): int(row["count"]) for row in json.loads(output)}
    except (ValueError, KeyError, TypeError):
        return {}
