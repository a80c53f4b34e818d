"""The loop of grading: each check of the task is observed, and the policy makes a score of what was seen."""

import time

import anyio

from agent_bench.graders.interface import Grading
from agent_bench.graders.table import find_grader
from agent_bench.model import Check, Score, Signal
from agent_bench.scoring.weighted import weighted_score

GRADER_SECONDS = 900.0
"""For one grader; its own, shorter limits come first. Making an environment is part of it."""


async def grade(grading: Grading) -> tuple[tuple[Signal, ...], Score]:
    """The signals of the task's checks, in their order, and the score.

    A grader that crashes or hangs yields a signal that is not observed, with the reason; never an exception.
    """
    signals = []
    for check in grading.task.checks:
        began = time.monotonic()
        signal = await _observe(check, grading)
        signals.append(signal.model_copy(update={"seconds": round(time.monotonic() - began, 3)}))
    score = weighted_score(signals, grading.task.checks, grading.task.policy, unchanged=grading.unchanged)
    return tuple(signals), score


async def _observe(check: Check, grading: Grading) -> Signal:
    try:
        with anyio.fail_after(GRADER_SECONDS):
            return await find_grader(check.grader).observe(check, grading)
    except TimeoutError:
        return Signal(name=check.name, reason=f"the grader did not end within {GRADER_SECONDS:g} s")
    except Exception as error:
        # Whatever a grader stumbles over costs its signal, not the trial.
        return Signal(name=check.name, reason=f"the grader failed: {type(error).__name__}: {error}"[:500])
