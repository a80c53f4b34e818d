"""Sums of token counts in which an unknown part stays visible."""

from collections.abc import Sequence

from agent_bench.model import Usage

_FIELDS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "requests")
# A sum is only as good as its worst part.
_BY_TRUST = ("metered", "reported", "estimated", "none")

NOTHING_SPENT = Usage(
    input_tokens=0, output_tokens=0, cache_read_tokens=0, cache_write_tokens=0, requests=0, source="metered"
)
"""Of what surely called no model: an agent that never started, a control."""


def add_usages(usages: Sequence[Usage]) -> Usage:
    """The sum of several usages, such as those of a trial's tries.

    A count that is unknown in one part is unknown in the sum: what is known of the others would pass for the whole.
    What called no model must therefore be given as ``NOTHING_SPENT``, not as a usage of which nothing is known. The
    source is the least trusted one of the parts. Of no parts at all nothing is known.
    """
    counts = {field: _sum([getattr(usage, field) for usage in usages]) for field in _FIELDS}
    if all(count is None for count in counts.values()):
        return Usage()
    worst = max((usage.source for usage in usages), key=_BY_TRUST.index)
    return Usage.model_validate({**counts, "source": worst})


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None
