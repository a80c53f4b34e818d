"""What a policy makes of the signals so far: the score, or the checks that it still needs. Starts nothing."""

from collections.abc import Sequence

from agent_bench.model import Check, Policy, Score, Signal
from agent_bench.scoring import all_of, weighted


def next_step(
    policy: Policy, checks: Sequence[Check], signals: Sequence[Signal], *, unchanged: bool
) -> Score | tuple[Check, ...]:
    """The score if it is decided; else the checks that it still needs, the next one first.

    ``weighted`` needs every check: each changes the score or is shown beside it. ``all_of`` is decided by the first
    signal below 1. ``unchanged``: the agent produced nothing.
    """
    if policy.name == "all_of":
        return all_of.decide(signals, checks)
    seen = {signal.name for signal in signals}
    needed = tuple(check for check in checks if check.name not in seen)
    return needed or weighted.score(signals, checks, policy, unchanged=unchanged)


def score_of(policy: Policy, checks: Sequence[Check], signals: Sequence[Signal], *, unchanged: bool) -> Score:
    """The score of kept signals: what grading made of them, without starting anything.

    Not observed if the policy would need checks that were never made.
    """
    step = next_step(policy, checks, signals, unchanged=unchanged)
    if isinstance(step, Score):
        return step
    return Score(reason=f"not graded yet: {', '.join(check.name for check in step)}")
