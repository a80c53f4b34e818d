"""The price of one model, and what a usage costs at it."""

from datetime import date

from agent_bench.model import Frozen, Usage

_PER = 1_000_000


class Price(Frozen):
    """USD per million tokens; None: the provider names no such price."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None
    aliases: tuple[str, ...] = ()
    as_of: date | None = None
    """Date of the list that it stands in."""


class Cost(Frozen):
    """What a usage costs."""

    usd: float | None
    """None: unknown."""
    note: str = ""
    """Why it is unknown, or less than exact."""
    priced_as: str | None = None
    """The model whose price was taken."""


def cost_at(price: Price, name: str, usage: Usage) -> Cost:
    """The cost of a usage at a price.

    A count that is unknown is not priced, and the note says so. Where input or output is unknown, what is left is a
    lower bound; if that is nothing, the cost is unknown: an unknown is never 0.
    """
    usd = _known(price, usage)
    main = [words for words, count in (("input", usage.input_tokens), ("output", usage.output_tokens)) if count is None]
    if main and (len(main) == 2 or usd == 0):
        return Cost(usd=None, note=f"{' and '.join(main)} tokens unknown", priced_as=name)
    cached = [
        words
        # Where a provider sells cached tokens at no price of their own, agents do not count them apart either.
        for words, count, own in (
            ("cache read", usage.cache_read_tokens, price.cache_read),
            ("cache write", usage.cache_write_tokens, price.cache_write),
        )
        if count is None and own is not None
    ]
    notes = [f"at least: {main[0]} tokens unknown"] if main else []
    notes += [f"{' and '.join(cached)} tokens unknown, not priced"] if cached else []
    return Cost(usd=usd, note="; ".join(notes), priced_as=name)


def _known(price: Price, usage: Usage) -> float:
    """The sum of what is known, in USD."""
    total = (usage.input_tokens or 0) * price.input + (usage.output_tokens or 0) * price.output
    # Cached tokens without a price of their own are plain input.
    total += (usage.cache_read_tokens or 0) * (price.input if price.cache_read is None else price.cache_read)
    total += (usage.cache_write_tokens or 0) * (price.input if price.cache_write is None else price.cache_write)
    return total / _PER
