"""The policy ``all_of``: resolved if every signal is 1, and not otherwise."""

from collections.abc import Sequence

from agent_bench.model import Check, Score, Signal


def decide(signals: Sequence[Signal], checks: Sequence[Check]) -> Score | tuple[Check, ...]:
    """The score, or the checks that are still needed, in their order.

    One signal below 1 decides: not resolved, whatever the others would say. A signal that is not observed leaves
    the score not observed, unless another decides. Shares (``f2p``, ``p2p``) are information and change nothing.
    """
    by_name = {signal.name: signal for signal in signals}
    failed = [signal for signal in signals if signal.value is not None and signal.value < 1.0]
    if failed:
        return Score(value=0.0, resolved=False, observed_weight=1.0, reason=failed[0].reason)
    needed = tuple(check for check in checks if check.name not in by_name)
    if needed:
        return needed
    unseen = [signal for signal in signals if signal.value is None]
    if unseen:
        reason = "; ".join(f"{signal.name}: {signal.reason}" for signal in unseen)
        return Score(observed_weight=1 - len(unseen) / len(checks), reason=f"not observed: {reason}")
    return Score(value=1.0, resolved=True, observed_weight=1.0, reason="all passed")
