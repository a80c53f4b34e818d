import pytest

from intervals import covered, gaps, merge


def test_no_intervals_give_an_empty_list():
    assert merge([]) == []


def test_separate_intervals_come_out_ascending():
    assert merge([(40, 45), (1, 3), (10, 12)]) == [(1, 3), (10, 12), (40, 45)]


def test_overlapping_pair_becomes_one():
    assert merge([(1, 5), (4, 9)]) == [(1, 9)]


def test_first_reversed_interval_is_named():
    with pytest.raises(ValueError) as caught:
        merge([(7, 2)])
    assert str(caught.value) == "interval 0: start 7 is after end 2"


def test_covered_counts_both_bounds():
    assert covered([(1, 3), (10, 10)]) == 4


def test_gap_between_two_intervals():
    assert gaps([(0, 4), (10, 20)], (0, 20)) == [(5, 9)]
