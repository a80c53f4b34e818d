"""How a trial ended, from what its process did and what the agent said of itself."""

import signal

from agent_bench.agents.interface import Reading
from agent_bench.model import Finished, Outcome


def decide(finished: Finished, reading: Reading) -> tuple[Outcome, str]:
    """The outcome of a trial and why, in words.

    The exit code alone does not tell: many agents exit 0 after an error of their model provider, so what the
    adapter read counts as well. Ours and the provider's faults come first: they are never the agent's.
    """
    if finished.fault:
        return Outcome.SANDBOX_FAILED, finished.fault
    if finished.survivors:
        return Outcome.SANDBOX_FAILED, f"{finished.survivors} of the agent's processes could not be ended"
    if finished.cancelled:
        return Outcome.INTERRUPTED, "interrupted"
    # Also where the limit ended an agent that was still trying to reach its provider.
    if reading.failure == "provider":
        return Outcome.PROVIDER_FAILED, reading.failure_reason
    if finished.limit and finished.timed_out:
        return Outcome.TIMED_OUT, _limit_words(finished.limit.name, finished.limit.value)
    if finished.limit:
        return Outcome.AGENT_FAILED, f"wrote more than {finished.limit.value:.0f} bytes to stdout and stderr"
    if reading.failure == "agent":
        return Outcome.AGENT_FAILED, reading.failure_reason
    if finished.exit_code != 0:
        return Outcome.AGENT_FAILED, _exit_words(finished.exit_code)
    return Outcome.COMPLETED, ""


def _limit_words(name: str, value: float) -> str:
    words = {
        "wall_sec": "not done after {:g} s",
        "startup_sec": "wrote nothing within {:g} s of its start",
        "idle_sec": "wrote nothing for {:g} s",
    }
    return words[name].format(value)


def _exit_words(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"ended by signal {_signal_words(-exit_code)}"
    if exit_code is not None and 128 < exit_code < 192:
        # What a shell makes of a signal; but it may be the program's own number.
        return f"exit code {exit_code} (as after signal {_signal_words(exit_code - 128)})"
    return f"exit code {exit_code}"


def _signal_words(number: int) -> str:
    try:
        return f"{number}, {signal.Signals(number).name}"
    except ValueError:
        return str(number)
