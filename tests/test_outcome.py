"""Which outcome follows from what a process did and what its agent said."""

from pathlib import Path

import pytest

from agent_bench.agents.interface import Reading
from agent_bench.model import Finished, LimitFired, Outcome
from agent_bench.outcome import decide


def _finished(**changes: object) -> Finished:
    base = {"exit_code": 0, "seconds": 1.0, "stdout": Path("o"), "stderr": Path("e")}
    return Finished.model_validate({**base, **changes})


PROVIDER = Reading(failure="provider", failure_reason="HTTP 529")
AGENT = Reading(failure="agent", failure_reason="gave up")
WALL = LimitFired(name="wall_sec", value=5)


@pytest.mark.parametrize(
    ("finished", "reading", "outcome", "words"),
    [
        (_finished(), Reading(), Outcome.COMPLETED, ""),
        (_finished(exit_code=1), Reading(), Outcome.AGENT_FAILED, "exit code 1"),
        (_finished(exit_code=-9), Reading(), Outcome.AGENT_FAILED, "ended by signal 9, SIGKILL"),
        (_finished(exit_code=139), Reading(), Outcome.AGENT_FAILED, "exit code 139 (as after signal 11, SIGSEGV)"),
        (_finished(exit_code=0), PROVIDER, Outcome.PROVIDER_FAILED, "HTTP 529"),
        (_finished(exit_code=1), PROVIDER, Outcome.PROVIDER_FAILED, "HTTP 529"),
        (_finished(exit_code=0), AGENT, Outcome.AGENT_FAILED, "gave up"),
        (_finished(limit=WALL, exit_code=-15), Reading(), Outcome.TIMED_OUT, "not done after 5 s"),
        (_finished(limit=WALL, exit_code=-15), PROVIDER, Outcome.PROVIDER_FAILED, "HTTP 529"),
        (_finished(limit=WALL, survivors=1), Reading(), Outcome.SANDBOX_FAILED, "1 of the agent's processes"),
        (_finished(fault="no bwrap", exit_code=None), AGENT, Outcome.SANDBOX_FAILED, "no bwrap"),
        (_finished(cancelled=True, exit_code=-15), Reading(), Outcome.INTERRUPTED, "interrupted"),
        (
            _finished(limit=LimitFired(name="output_bytes", value=100)),
            Reading(),
            Outcome.AGENT_FAILED,
            "wrote more than 100 bytes",
        ),
    ],
)
def test_outcome(finished: Finished, reading: Reading, outcome: Outcome, words: str) -> None:
    decided, reason = decide(finished, reading)
    assert decided is outcome
    assert words in reason
