import pytest

from sums import mean, total


def test_total_counts_the_last_value():
    assert total([1, 2, 3]) == 6


def test_total_keeps_its_argument():
    values = [4, 5]
    total(values)
    assert values == [4, 5]


class TestMean:
    @pytest.mark.parametrize(("low", "high", "middle"), [(1, 3, 2)])
    def test_value(self, low, high, middle):
        assert mean([low, high]) == middle
