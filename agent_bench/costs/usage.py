"""Sums of token counts in which an unknown part stays visible."""

from collections.abc import Iterable, Sequence

from agent_bench.model import Usage

_FIELDS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "requests")
# A sum is only as good as its worst part.
_BY_TRUST = ("metered", "reported", "estimated")


def add_usages(usages: Sequence[Usage]) -> Usage:
    """The sum of several usages.

    A part of which nothing at all is known adds nothing (a try that ended before its first call); a count that is
    unknown in one of the other parts is unknown in the sum.
    """
    known = [usage for usage in usages if usage != Usage()]
    if not known:
        return Usage()
    sources = {usage.source for usage in known}
    worst = next((source for source in reversed(_BY_TRUST) if source in sources), "none")
    counts = {field: _sum(getattr(usage, field) for usage in known) for field in _FIELDS}
    return Usage.model_validate({**counts, "source": worst})


def _sum(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    return None if any(count is None for count in found) else sum(count or 0 for count in found)
