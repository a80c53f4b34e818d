"""Maintenance windows as closed intervals of whole minutes.

An interval is a pair ``(start, end)``. Both bounds belong to it, so ``(4, 4)``
is a window of one minute.
"""


def check(index, interval):
    """Return the two bounds of one interval or raise for a malformed one."""
    start, end = interval
    if not isinstance(start, int) or not isinstance(end, int):
        raise TypeError(f"interval {index}: bounds must be int")
    if start > end:
        raise ValueError(f"interval {index}: start {start} is after end {end}")
    return start, end


def merge(intervals):
    """Join the intervals that overlap or adjoin; ascending order."""
    intervals.sort()
    joined = []
    for index, interval in enumerate(intervals):
        start, end = check(index, interval)
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def covered(intervals):
    """Count the minutes that lie in at least one interval."""
    return sum(end - start + 1 for start, end in merge(intervals))


def gaps(intervals, window):
    """List the stretches of ``window`` that no interval covers."""
    first, last = window
    free = []
    cursor = first
    for start, end in merge(intervals):
        if start > cursor:
            free.append((cursor, start - 1))
        cursor = end + 1
    return free
