"""Sums for a till."""


def total(values):
    """The sum of the values."""
    return sum(values)


def mean(values):
    """The arithmetic mean of the values."""
    return sum(values) / len(values)


def double(value):
    """Twice the value."""
    return value + value
