"""The policy ``weighted``: the weighted mean of the signals that were observed."""

import math
from collections.abc import Sequence

from agent_bench.model import Check, Policy, Score, Signal

_ROUNDING = 1e-9
"""0.3 + 0.2 of 1.0 must not miss a minimum of 0.5 by the last bit."""


def score(signals: Sequence[Signal], checks: Sequence[Check], policy: Policy, *, unchanged: bool) -> Score:
    """The score of a trial: sum(weight x value) / sum(weight) over the observed signals, 0..1.

    ``observed_weight`` is the share of the whole weight that was observed. Below ``policy.minimum_observed`` the
    score is not observed: too little was seen to compare it with another. If the agent produced nothing
    (``unchanged``) it is 0.0, whatever was observed: nothing earns points. A check of weight 0 is information only.
    """
    by_name = {signal.name: signal.value for signal in signals}
    values = [(check, by_name.get(check.name)) for check in checks if check.weight > 0]
    seen = [(check.weight, value) for check, value in values if value is not None]
    # fsum is exact: signals that are all 1.0 give 1.0, and the order of the checks changes nothing.
    whole = math.fsum(check.weight for check, _ in values)
    observed = math.fsum(weight for weight, _ in seen)
    share = observed / whole if whole else 0.0
    if unchanged:
        return Score(value=0.0, observed_weight=share, reason="nothing was produced: nothing earns points")
    missing = ", ".join(check.name for check, value in values if value is None)
    words = f"{share:.0%} of the weight was observed" + (f" (not: {missing})" if missing else "")
    if not seen or share < policy.minimum_observed - _ROUNDING:
        return Score(observed_weight=share, reason=f"only {words}; {policy.minimum_observed:.0%} are needed")
    mean = math.fsum(weight * value for weight, value in seen) / observed
    return Score(value=min(1.0, mean), observed_weight=share, reason=words)
