"""Intervals against published values and by simulation."""

import math
import random

import pytest

from agent_bench.statistics.intervals import clustered_mean, t_quantile, wilson_interval


@pytest.mark.parametrize(
    ("degrees", "p", "value"),
    # Student's t, as in the tables of any textbook (two-sided 95 % and 99 %).
    [(1, 0.975, 12.7062), (2, 0.975, 4.30265), (5, 0.975, 2.57058), (10, 0.975, 2.22814), (30, 0.975, 2.04227),
     (100, 0.975, 1.98397), (4, 0.995, 4.60409), (1000, 0.975, 1.96234), (3, 0.5, 0.0)],
)  # fmt: skip
def test_quantiles_of_t(degrees: int, p: float, value: float) -> None:
    assert t_quantile(p, degrees) == pytest.approx(value, abs=1e-4)


def test_wilson_against_known_values() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson_interval(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)


def test_one_value_per_task_is_the_ordinary_t_interval() -> None:
    values = [0.2, 0.4, 0.6, 0.9]
    mean = clustered_mean({str(number): [value] for number, value in enumerate(values)})
    deviation = math.sqrt(sum((v - 0.525) ** 2 for v in values) / 3)
    half = 3.182446 * deviation / 2
    assert mean.value == pytest.approx(0.525)
    assert mean.high is not None
    assert mean.low is not None
    assert (mean.low, mean.high) == pytest.approx((max(0.0, 0.525 - half), min(1.0, 0.525 + half)), abs=1e-5)


def test_repetitions_of_a_task_do_not_make_it_surer_than_the_tasks_allow() -> None:
    once = clustered_mean({"a": [0.0], "b": [1.0], "c": [1.0]})
    often = clustered_mean({"a": [0.0] * 50, "b": [1.0] * 50, "c": [1.0] * 50})
    assert (once.low, once.high) == pytest.approx((often.low, often.high))


def test_small_numbers() -> None:
    assert clustered_mean({}).value is None
    assert clustered_mean({"a": []}).n == 0
    one = clustered_mean({"a": [0.5]})
    assert (one.value, one.low, one.high) == (0.5, None, None)
    assert one.reason
    same_task = clustered_mean({"a": [1.0, 1.0, 0.0]})
    assert (same_task.low, same_task.high) == pytest.approx(wilson_interval(2, 3))
    all_pass = clustered_mean({"a": [1.0], "b": [1.0], "c": [1.0, 1.0]})
    assert (all_pass.low, all_pass.high) == pytest.approx(wilson_interval(3, 3))


def test_coverage_by_simulation() -> None:
    """95 % intervals for clustered values hold the truth about 95 times in 100."""
    draw = random.Random(1)
    hits, rounds = 0, 600
    for _ in range(rounds):
        tasks = {}
        for task in range(25):
            level = draw.uniform(0.2, 0.8)
            tasks[str(task)] = [min(1.0, max(0.0, draw.gauss(level, 0.05))) for _ in range(4)]
        mean = clustered_mean(tasks)
        assert mean.low is not None
        assert mean.high is not None
        hits += mean.low <= 0.5 <= mean.high
    assert 0.92 <= hits / rounds <= 0.98
