"""Intervals, against hand-made and published numbers."""

import random

import pytest

from agent_bench.statistics.intervals import Mean, clustered_mean, wilson_interval


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_as_published(successes: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_of_none_and_all_is_exact_at_the_ends() -> None:
    assert wilson_interval(0, 7)[0] == 0.0
    assert wilson_interval(7, 7)[1] == 1.0
    low, high = wilson_interval(0, 7)
    assert wilson_interval(7, 7) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (3, 2), (-1, 2)])
def test_what_is_no_proportion_is_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="no proportion"):
        wilson_interval(successes, n)


def test_nothing_counted_has_no_mean() -> None:
    assert clustered_mean({}) == Mean(None, None, None, 0, 0, "nothing counted")
    assert clustered_mean({"a": []}) == clustered_mean({})


@pytest.mark.parametrize("values", [[0.5], [0.0, 1.0, 1.0]])
def test_one_task_has_a_mean_but_no_interval(values: list[float]) -> None:
    found = clustered_mean({"a": values})
    assert (found.low, found.high, found.n, found.clusters) == (None, None, len(values), 1)
    assert found.value == pytest.approx(sum(values) / len(values))
    assert found.reason == "one task only: it tells nothing about others"
    assert clustered_mean({"a": values}, unit="agent").reason.startswith("one agent only")


def test_with_one_value_per_task_it_is_the_ordinary_t_interval() -> None:
    # Mean 0.5, standard deviation 0.25820, n = 4: 0.5 +- 3.18245 * 0.12910.
    found = clustered_mean({"a": [0.2], "b": [0.4], "c": [0.6], "d": [0.8]})
    assert found.value == pytest.approx(0.5)
    assert (found.low, found.high) == pytest.approx((0.5 - 0.410858, 0.5 + 0.410858), abs=1e-5)
    assert (found.n, found.clusters, found.reason) == (4, 4, "")


def test_a_hand_computed_clustered_interval() -> None:
    # n = 24 in 12 tasks, mean 0.5, residual sums +-0.6. Error: sqrt(12 / 11 * 12 * 0.36) / 24 = 0.0904534;
    # t of 11 degrees = 2.200985. Taken as 24 independent values the error would be 0.0659.
    found = clustered_mean({str(task): [0.9, 0.7] if task % 2 else [0.1, 0.3] for task in range(12)})
    assert found.value == pytest.approx(0.5)
    assert (found.low, found.high) == pytest.approx((0.5 - 0.199087, 0.5 + 0.199087), abs=1e-6)


def test_tasks_with_more_trials_weigh_more() -> None:
    # n = 6, mean 0.5; residual sums 0.8, 0, -0.8. Error: sqrt(3 / 2 * 1.28) / 6; t of 2 degrees = 4.3: cut to 0..1.
    found = clustered_mean({"a": [0.9, 0.9], "b": [0.5], "c": [0.0, 0.3, 0.4]})
    assert found.value == pytest.approx(0.5)
    assert (found.low, found.high) == (0.0, 1.0)


def test_repeating_a_task_that_always_gives_the_same_adds_no_certainty() -> None:
    once = clustered_mean({"a": [0.2], "b": [0.5], "c": [0.9], "d": [0.4]})
    often = clustered_mean({"a": [0.2] * 9, "b": [0.5] * 9, "c": [0.9] * 9, "d": [0.4] * 9})
    assert (often.low, often.high) == pytest.approx((once.low, once.high))
    assert often.n == 36


@pytest.mark.parametrize("nearly", [0.0, 0.01])
def test_tasks_that_happen_to_agree_do_not_make_it_look_sure(nearly: float) -> None:
    found = clustered_mean({"a": [0.0, 1.0], "b": [0.0, 1.0], "c": [1.0, nearly]})
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low > 0.5


@pytest.mark.parametrize("value", [0.0, 1.0, 0.73])
def test_values_that_are_all_equal_still_leave_room(value: float) -> None:
    found = clustered_mean({name: [value, value] for name in "abcdef"})
    assert (found.low, found.high) == pytest.approx(wilson_interval(value * 6, 6))
    assert found.low is not None
    assert found.high is not None
    assert found.low <= value <= found.high
    assert found.high - found.low > 0.3


def test_it_holds_the_true_mean_about_as_often_as_it_says() -> None:
    # Clustered yes-or-no trials, 10 tasks of 3 attempts; a false interval (independent trials) would hold it in ~80 %.
    draw = random.Random(20261201)
    rounds, hits = 600, 0
    for _ in range(rounds):
        rates = [draw.betavariate(0.6, 0.4) for _ in range(10)]
        values = {str(task): [float(draw.random() < rate) for _ in range(3)] for task, rate in enumerate(rates)}
        found = clustered_mean(values)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.6 <= found.high
    assert 0.92 <= hits / rounds <= 0.98
