"""Figures as they are shown."""

import pytest

from agent_bench.reports import figures


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (None, "−"),
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (12_345, "12.3k"),
        (1_234_567, "1.2M"),
        (2 * 10**9, "2.0G"),
    ],
)
def test_short_tokens(count: int | None, words: str) -> None:
    assert figures.tokens_short(count) == words


def test_estimates_are_marked_and_unknown_is_never_zero() -> None:
    assert figures.tokens(12_345, estimated=True) == "~12,345"
    assert figures.usd(None) == figures.score(None) == figures.mark(None) == figures.tokens(None) == "−"
    assert (figures.usd(0.0), figures.usd(0.00042), figures.usd(0.0846)) == ("$0.000", "$0.0004", "$0.085")
    assert (figures.mark(1.0), figures.mark(0.99)) == ("✓", "✗")
