from math import comb

import pytest

from agent_bench.statistics.calibration import MOST_ATTEMPTS, Band, Verdict, solve_rate
from agent_bench.statistics.intervals import wilson_interval

BAND = Band(0.1, 0.7)


@pytest.mark.parametrize(
    ("solved", "attempts", "verdict"),
    [
        (5, 5, "too_few"),
        (8, 8, "too_few"),
        (9, 9, "too_easy"),
        (0, 5, "too_few"),
        (0, 34, "too_few"),
        (0, 35, "too_hard"),
        (3, 5, "too_few"),
        (2, 5, "in_band"),
        (1, 5, "too_few"),
        (1, 3, "too_few"),
        (3, 10, "in_band"),
        (12, 20, "in_band"),
        (70, 100, "in_band"),
        (72, 100, "too_few"),
        (1, 100, "too_hard"),
    ],
)
def test_a_verdict_only_where_the_interval_leaves_none_open(solved: int, attempts: int, verdict: Verdict) -> None:
    found = solve_rate(solved, attempts, BAND)
    assert found.verdict == verdict
    assert found.rate == solved / attempts
    assert (found.low, found.high) == wilson_interval(solved, attempts)


@pytest.mark.parametrize(
    ("band", "solved", "attempts", "verdict"),
    [
        (Band(0, 1), 4, 4, "too_few"),
        (Band(0, 1), 0, 5, "in_band"),
        (Band(0, 0.7), 0, 5, "in_band"),
        (Band(0, 0.7), 1, 1, "too_few"),
        (Band(0.5, 0.5), 5, 10, "too_few"),
        (Band(0.5, 0.5), 50, 100, "in_band"),
        (Band(0.5, 0.5), 70, 100, "too_easy"),
        (Band(1, 1), 1, 9, "too_hard"),
        (Band(1, 1), 35, 35, "in_band"),
    ],
)
def test_bands_at_their_ends(band: Band, solved: int, attempts: int, verdict: Verdict) -> None:
    assert solve_rate(solved, attempts, band).verdict == verdict


def test_how_many_more_attempts_would_settle_it() -> None:
    assert solve_rate(5, 5, BAND).more_attempts == 4
    assert solve_rate(0, 5, BAND).more_attempts == 30
    assert solve_rate(9, 9, BAND).more_attempts == 0
    for solved, attempts in ((3, 5), (1, 5), (4, 5), (1, 10), (9, 10)):
        found = solve_rate(solved, attempts, BAND)
        assert found.verdict == "too_few"
        assert found.more_attempts is not None
        # The same rate again and again: a multiple of it settles it as soon as it is large enough, and not before.
        times = 1 + -(-found.more_attempts // attempts)
        assert solve_rate(solved * times, attempts * times, BAND).verdict != "too_few"
        fewer = times - 2
        assert fewer < 1 or solve_rate(solved * fewer, attempts * fewer, BAND).verdict == "too_few"


def test_what_nobody_can_settle_is_said() -> None:
    assert solve_rate(701, 1000, BAND).more_attempts is None
    assert MOST_ATTEMPTS == 10_000


def test_nothing_attempted() -> None:
    found = solve_rate(0, 0, BAND)
    assert (found.rate, found.low, found.high, found.more_attempts) == (None, None, None, None)
    assert found.verdict == "too_few"


@pytest.mark.parametrize(("low", "high"), [(-0.1, 0.5), (0.6, 0.5), (0.5, 1.1), (float("nan"), 1), (0, float("nan"))])
def test_no_band(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="no band"):
        Band(low, high)


@pytest.mark.parametrize(("solved", "attempts"), [(2, 1), (-1, 1)])
def test_no_count(solved: int, attempts: int) -> None:
    with pytest.raises(ValueError, match="no proportion"):
        solve_rate(solved, attempts, BAND)


def test_the_promise_of_a_verdict_holds() -> None:
    """A wrong verdict is rare: by exact binomial sums, for the rates at which it is the most likely."""

    def chance(verdict: Verdict, rate: float, attempts: int) -> float:
        return sum(
            comb(attempts, solved) * rate**solved * (1 - rate) ** (attempts - solved)
            for solved in range(attempts + 1)
            if solve_rate(solved, attempts, BAND).verdict == verdict
        )

    for attempts in range(1, 41):
        assert chance("too_easy", 0.7, attempts) < 0.05
        assert chance("too_hard", 0.1, attempts) < 0.05
        assert chance("in_band", 0.8, attempts) < 0.09
        assert chance("in_band", 0.05, attempts) < 0.11
