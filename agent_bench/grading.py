"""The loop of grading: ask the policy what it needs, observe, until there is a score."""

import time

import anyio
from anyio.to_thread import run_sync

from agent_bench.graders.interface import Grading
from agent_bench.graders.table import find_grader
from agent_bench.model import Check, Score, Signal
from agent_bench.scoring.decision import next_step

GRADER_SECONDS = 900.0
"""For one grader, on top of its own ``timeout_sec``. Its own limits come first; making an environment is part of it."""
_MAX_REASON_CHARS = 500


async def grade(grading: Grading, *, grader_seconds: float = GRADER_SECONDS) -> tuple[tuple[Signal, ...], Score]:
    """The signals of the checks that the policy asked for, in their order, and the score.

    A grader that raises or hangs yields a signal that is not observed, with the reason: never an exception. No grader
    sees what another left: each that runs the agent's code has a fresh copy of the tree.
    """
    unchanged = await run_sync(lambda: grading.unchanged)
    task, signals = grading.task, list[Signal]()
    while True:
        step = next_step(task.policy, task.checks, signals, unchanged=unchanged)
        if isinstance(step, Score):
            return tuple(signals), step
        signals.append(await _timed(step[0], grading, grader_seconds))


async def _timed(check: Check, grading: Grading, grader_seconds: float) -> Signal:
    began = time.monotonic()
    seconds = grader_seconds + float(check.options.get("timeout_sec", 0))
    signal = await _observe(check, grading, seconds)
    return signal.model_copy(update={"seconds": round(time.monotonic() - began, 3)})


async def _observe(check: Check, grading: Grading, seconds: float) -> Signal:
    try:
        with anyio.move_on_after(seconds):
            signal = await find_grader(check.grader).observe(check, grading)
            return signal.model_copy(update={"name": check.name})
    except Exception as error:
        # Whatever a grader stumbles over costs its signal, not the trial.
        reason = f"the grader failed: {type(error).__name__}: {error}"
        return Signal(name=check.name, reason=reason[:_MAX_REASON_CHARS])
    return Signal(name=check.name, reason=f"the grader did not end within {seconds:g} s")
