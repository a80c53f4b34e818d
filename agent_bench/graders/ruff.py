"""The signal ``ruff``: whether our linter, with our rules, finds nothing."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from ruff.__main__ import find_ruff_bin

from agent_bench.graders.interface import Grading
from agent_bench.graders.room import Ran
from agent_bench.model import Check, Signal

SECONDS = 60.0

RULES = "E4,E7,E9,F"
"""Ruff's own default rules: errors, undefined and unused names, broken imports; nothing that is a matter of taste."""

_SETTINGS = ("exclude = []", 'include = ["*.py"]')
"""By default ruff leaves out ``build``, ``dist``, ``site-packages`` and the like: places to hide code in."""


class RuffGrader:
    """1.0 if ``ruff check`` exits 0, 0.0 if it exits 1. No ``.py``, only blank ones, or nothing produced: not observed.

    It is the ruff that agent-bench is installed with, for the task's Python. The agent cannot switch it off: its
    settings (``--isolated``), its ``noqa`` comments, its ``.gitignore`` and ruff's own exclusions are disregarded.
    """

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal."""
        if grading.unchanged:
            return Signal(name=check.name, reason="nothing was produced")
        files = grading.python_files()
        if not files:
            return Signal(name=check.name, reason="no Python code")
        try:
            program = Path(find_ruff_bin()).resolve()
        except FileNotFoundError as error:
            return Signal(name=check.name, reason=f"ruff is not installed ({error})")
        room = await grading.reading_room(check.name)
        argv = _argv(program, grading.task.environment.python, room.tree)
        return _signal(check.name, await room.run(argv, seconds=SECONDS, readable=(program,)), len(files))


def _argv(program: Path, python: str | None, tree: Path) -> Sequence[str]:
    version = python or f"{sys.version_info.major}.{sys.version_info.minor}"
    return (
        *(str(program), "check", "--isolated", "--no-cache", "--ignore-noqa", "--no-respect-gitignore"),
        *(word for setting in _SETTINGS for word in ("--config", setting)),
        *("--select", RULES, "--target-version", f"py{version.replace('.', '')}"),
        *("--statistics", "--output-format", "json", str(tree)),
    )


def _signal(name: str, ran: Ran, files: int) -> Signal:
    code = ran.finished.exit_code
    if code == 0:
        return Signal(name=name, value=1.0, reason=f"nothing found in {files} Python files", facts={"findings": 0})
    if code == 1:
        counts = _counts(ran.stdout)
        total = sum(counts.values())
        found = ", ".join(f"{rule} {count}" for rule, count in list(counts.items())[:5])
        facts = {"findings": total, "rules": counts}
        return Signal(name=name, value=0.0, reason=f"{total} findings: {found}", facts=facts)
    reason = ran.finished.fault or ran.stopped_by or f"exit code {code}: {ran.last_words}"
    return Signal(name=name, reason=f"ruff failed: {reason}")


def _counts(output: bytes) -> dict[str, int]:
    """How often each rule was broken; empty if ruff's output is not as we know it."""
    try:
        return {str(row["code"] or row["name"]): int(row["count"]) for row in json.loads(output)}
    except (ValueError, KeyError, TypeError):
        return {}
