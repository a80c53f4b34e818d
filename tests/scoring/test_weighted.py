import pytest

from agent_bench.model import Check, Policy, Score, Signal
from agent_bench.scoring.weighted import score

WEIGHTS = {"files": 0.30, "imports": 0.15, "ruff": 0.10, "pytest": 0.20, "judge": 0.25}


def scored(values: dict[str, float | None], weights: dict[str, float] | None = None, unchanged: bool = False) -> Score:
    checks = [Check(name=name, grader=name, weight=weight) for name, weight in (weights or WEIGHTS).items()]
    signals = [Signal(name=name, value=value, reason="-") for name, value in values.items()]
    return score(signals, checks, Policy(), unchanged=unchanged)


def test_all_ones_are_exactly_one() -> None:
    result = scored(dict.fromkeys(WEIGHTS, 1.0))
    assert result.value == 1.0
    assert result.observed_weight == 1.0


@pytest.mark.parametrize("missing", WEIGHTS)
def test_ones_with_one_missing_are_exactly_one(missing: str) -> None:
    result = scored({**dict.fromkeys(WEIGHTS, 1.0), missing: None})
    assert result.value == 1.0
    assert result.observed_weight == pytest.approx(1 - WEIGHTS[missing])
    assert missing in result.reason


def test_awkward_weights_of_ones_are_exactly_one() -> None:
    weights = {f"c{number}": 0.1 + number / 7 for number in range(50)}
    assert scored(dict.fromkeys(weights, 1.0), weights).value == 1.0


def test_weights_are_renormalised_over_what_was_observed() -> None:
    result = scored({"files": 1.0, "imports": 0.0, "ruff": None, "pytest": 0.5, "judge": None})
    assert result.value == pytest.approx((0.30 + 0.5 * 0.20) / 0.65)
    assert result.observed_weight == pytest.approx(0.65)


def test_the_weights_of_the_format_give_the_mean_by_hand() -> None:
    result = scored({"files": 1.0, "imports": 1.0, "ruff": 0.0, "pytest": 0.75, "judge": 0.6})
    assert result.value == pytest.approx(0.30 + 0.15 + 0.15 + 0.15)


def test_exactly_half_is_enough() -> None:
    result = scored({"imports": 1.0, "ruff": 1.0, "judge": 0.0})
    assert result.observed_weight == pytest.approx(0.5)
    assert result.value == pytest.approx(0.5)


def test_below_half_is_not_observed_and_says_why() -> None:
    result = scored({"files": 1.0, "imports": 1.0, "ruff": None, "pytest": None, "judge": None})
    assert result.value is None
    assert result.observed_weight == pytest.approx(0.45)
    assert "45%" in result.reason
    assert "pytest" in result.reason


def test_the_minimum_is_the_policys() -> None:
    checks = [Check(name="a", grader="a", weight=1), Check(name="b", grader="b", weight=3)]
    signals = [Signal(name="a", value=0.4, reason="-")]
    assert score(signals, checks, Policy(minimum_observed=0.2), unchanged=False).value == 0.4
    assert score(signals, checks, Policy(minimum_observed=0.3), unchanged=False).value is None


def test_nothing_observed_is_not_observed() -> None:
    result = scored(dict.fromkeys(WEIGHTS))
    assert result.value is None
    assert result.observed_weight == 0.0
    assert scored({}).value is None


def test_a_minimum_of_nothing_does_not_make_a_score_of_nothing() -> None:
    checks = [Check(name="a", grader="a", weight=1)]
    assert score([], checks, Policy(minimum_observed=0), unchanged=False).value is None


@pytest.mark.parametrize("value", [1.0, None])
def test_nothing_produced_is_zero_whatever_was_observed(value: float | None) -> None:
    result = scored(dict.fromkeys(WEIGHTS, value), unchanged=True)
    assert result.value == 0.0
    assert "nothing earns points" in result.reason


def test_a_check_without_weight_is_information_only() -> None:
    weights = {"a": 1.0, "information": 0.0}
    assert scored({"a": 1.0, "information": 0.0}, weights).value == 1.0
    without = scored({"a": 1.0, "information": None}, weights)
    assert without.value == 1.0
    assert without.observed_weight == 1.0
    assert "information" not in without.reason


def test_only_checks_without_weight_give_no_score() -> None:
    assert scored({"information": 1.0}, {"information": 0.0}).value is None


def test_a_signal_that_no_check_asked_for_counts_nothing() -> None:
    assert scored({"a": 0.5, "stranger": 1.0}, {"a": 1.0}).value == 0.5


def test_the_order_of_the_signals_changes_nothing() -> None:
    values = {"files": 0.1, "imports": 0.7, "ruff": 0.3, "pytest": 1 / 3, "judge": 0.9}
    turned = dict(reversed(values.items()))
    assert scored(values).value == scored(turned, dict(reversed(WEIGHTS.items()))).value
