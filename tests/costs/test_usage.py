"""Sums in which an unknown part stays visible."""

from agent_bench.costs.usage import add_usages
from agent_bench.model import Usage


def test_counts_are_added_and_the_least_trusted_source_is_told() -> None:
    total = add_usages(
        [
            Usage(input_tokens=1, output_tokens=2, cache_read_tokens=3, cache_write_tokens=4, source="metered"),
            Usage(
                input_tokens=10,
                output_tokens=20,
                cache_read_tokens=None,
                cache_write_tokens=40,
                source="reported",
            ),
        ]
    )
    assert total == Usage(input_tokens=11, output_tokens=22, cache_write_tokens=44, source="reported")


def test_nothing_known_adds_nothing() -> None:
    known = Usage(input_tokens=1, output_tokens=2, source="reported")
    assert add_usages([Usage(), known]) == known
    assert add_usages([Usage(), Usage()]) == Usage()
    assert add_usages([]) == Usage()
