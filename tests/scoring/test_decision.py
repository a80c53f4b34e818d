import pytest

from agent_bench.model import Check, Policy, Score, Signal
from agent_bench.scoring.decision import next_step, score_of

ALL_OF, WEIGHTED = Policy(name="all_of"), Policy()
CHECKS = (Check(name="a", grader="g", weight=1), Check(name="b", grader="g", weight=1))


def signal(name: str, value: float | None, reason: str = "why") -> Signal:
    return Signal(name=name, value=value, reason=reason)


@pytest.mark.parametrize("policy", [ALL_OF, WEIGHTED])
def test_at_first_every_check_is_needed_in_order(policy: Policy) -> None:
    assert next_step(policy, CHECKS, [], unchanged=False) == CHECKS


def test_all_of_is_decided_by_the_first_failure() -> None:
    score = next_step(ALL_OF, CHECKS, [signal("a", 0.9)], unchanged=False)
    assert isinstance(score, Score)
    assert (score.value, score.resolved, score.reason) == (0.0, False, "why")


def test_all_of_resolves_only_if_all_pass() -> None:
    assert next_step(ALL_OF, CHECKS, [signal("a", 1.0)], unchanged=False) == CHECKS[1:]
    score = next_step(ALL_OF, CHECKS, [signal("a", 1.0), signal("b", 1.0)], unchanged=True)
    assert isinstance(score, Score)
    assert (score.value, score.resolved) == (1.0, True)


def test_all_of_is_not_observed_if_a_signal_is_not_unless_another_fails() -> None:
    unseen = signal("a", None, "no report")
    assert next_step(ALL_OF, CHECKS, [unseen], unchanged=False) == CHECKS[1:]
    score = score_of(ALL_OF, CHECKS, [unseen, signal("b", 1.0)], unchanged=False)
    assert (score.value, score.resolved, score.observed_weight) == (None, None, 0.5)
    assert "no report" in score.reason
    assert score_of(ALL_OF, CHECKS, [unseen, signal("b", 0.0)], unchanged=False).resolved is False


def test_weighted_needs_every_check_and_scores_as_before() -> None:
    assert next_step(WEIGHTED, CHECKS, [signal("a", 0.0)], unchanged=False) == CHECKS[1:]
    score = score_of(WEIGHTED, CHECKS, [signal("a", 0.0), signal("b", 1.0)], unchanged=False)
    assert (score.value, score.resolved) == (0.5, None)
    assert score_of(WEIGHTED, CHECKS, [signal("a", 1.0), signal("b", 1.0)], unchanged=True).value == 0.0


def test_kept_signals_of_too_few_checks_are_no_score() -> None:
    score = score_of(WEIGHTED, CHECKS, [signal("a", 1.0)], unchanged=False)
    assert score.value is None
    assert "b" in score.reason
