import pytest

from intervals import covered, gaps, merge


def test_shared_bound_and_next_minute_are_joined():
    result = merge([(1, 3), (3, 5), (6, 8)])
    assert type(result) is list
    assert [tuple(pair) for pair in result] == [(1, 8)]


def test_one_free_minute_keeps_them_apart():
    assert merge([(1, 3), (5, 6)]) == [(1, 3), (5, 6)]


def test_enclosed_interval_does_not_shorten():
    assert merge([(1, 20), (4, 6)]) == [(1, 20)]
    assert covered([(1, 20), (4, 6)]) == 20


def test_argument_is_left_alone():
    given = [(30, 31), (1, 2), (15, 16)]
    merge(given)
    covered(given)
    gaps(given, (0, 40))
    assert given == [(30, 31), (1, 2), (15, 16)]


def test_any_iterable_is_accepted():
    assert merge(pair for pair in [(8, 9), (1, 2)]) == [(1, 2), (8, 9)]
    assert covered(((8, 9), (1, 2))) == 4
    assert gaps(iter([(1, 2), (8, 9)]), (1, 9)) == [(3, 7)]


def test_reversed_interval_keeps_its_place_in_the_message():
    with pytest.raises(ValueError) as caught:
        merge([(50, 60), (20, 30), (9, 3)])
    assert str(caught.value) == "interval 2: start 9 is after end 3"


@pytest.mark.parametrize("pair", [(False, 5), (0, True)], ids=["start", "end"])
def test_truth_values_are_no_bounds(pair):
    with pytest.raises(TypeError) as caught:
        merge([(7, 8), pair])
    assert str(caught.value) == "interval 1: bounds must be int"


def test_gap_after_the_final_interval():
    assert gaps([(5, 8)], (0, 10)) == [(0, 4), (9, 10)]
    assert gaps([], (3, 6)) == [(3, 6)]


def test_gaps_stay_inside_the_window():
    assert gaps([(0, 9), (20, 29), (50, 59)], (15, 40)) == [(15, 19), (30, 40)]
    assert gaps([(70, 80)], (15, 40)) == [(15, 40)]


def test_fully_covered_window_has_no_gap():
    assert gaps([(0, 100)], (15, 40)) == []
