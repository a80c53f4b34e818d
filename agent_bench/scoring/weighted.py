"""The policy ``weighted``: the weighted mean of the signals that were observed."""

import math
from collections.abc import Sequence

from agent_bench.model import Check, Policy, Score, Signal


def weighted_score(signals: Sequence[Signal], checks: Sequence[Check], policy: Policy, *, unchanged: bool) -> Score:
    """The score of a trial, 0..1.

    Weights are renormalised over the observed signals. Below ``policy.minimum_observed`` (a share of the whole
    weight) the score is not observed: too little was seen to compare it with another. An output in which nothing
    was produced scores 0, whatever was observed of it: nothing earns points.
    """
    by_name = {signal.name: signal for signal in signals}
    seen = [
        (check.weight, signal.value)
        for check in checks
        if (signal := by_name.get(check.name)) is not None and signal.value is not None
    ]
    whole = math.fsum(check.weight for check in checks)
    observed = math.fsum(weight for weight, _ in seen)
    share = min(1.0, observed / whole) if whole else 0.0
    if unchanged:
        return Score(value=0.0, observed_weight=share, reason="nothing was produced")
    if observed == 0 or share < policy.minimum_observed:
        missing = [check.name for check in checks if check.weight and _is_missing(by_name.get(check.name))]
        reason = f"only {share:.0%} of the weight was observed (not: {', '.join(missing)})"
        return Score(observed_weight=share, reason=reason)
    value = math.fsum(weight * value for weight, value in seen) / observed
    return Score(value=min(1.0, value), observed_weight=share, reason=f"{share:.0%} of the weight observed")


def _is_missing(signal: Signal | None) -> bool:
    return signal is None or signal.value is None
