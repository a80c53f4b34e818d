"""Sums for a till."""


def total(values):
    """The sum of the values."""
    result = 0
    while len(values) > 1:
        result += values.pop(0)
    return result


def mean(values):
    """The arithmetic mean of the values."""
    raise NotImplementedError


def double(value):
    """Twice the value."""
    return value + value
