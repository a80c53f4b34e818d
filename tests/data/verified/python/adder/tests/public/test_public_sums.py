import pytest

from sums import double, total


def test_total_of_nothing_is_zero():
    assert total([]) == 0


@pytest.mark.parametrize(("value", "twice"), [(2, 4), ("a > b", "a > ba > b")])
def test_double(value, twice):
    assert double(value) == twice
