"""Sums in which an unknown part stays visible."""

import pytest

from agent_bench.costs.usage import NOTHING_SPENT, add_usages
from agent_bench.model import Usage

KNOWN = Usage(input_tokens=1, output_tokens=2, cache_read_tokens=3, cache_write_tokens=4, requests=1, source="metered")


def test_counts_are_added_and_the_least_trusted_source_is_told() -> None:
    reported = Usage(input_tokens=10, output_tokens=20, cache_write_tokens=40, source="reported")
    total = add_usages([KNOWN, reported])
    assert total == Usage(input_tokens=11, output_tokens=22, cache_write_tokens=44, source="reported")


def test_an_unknown_part_makes_the_sum_unknown() -> None:
    assert add_usages([KNOWN, Usage()]) == Usage()


def test_what_called_no_model_adds_nothing() -> None:
    assert add_usages([NOTHING_SPENT, KNOWN]) == KNOWN
    assert add_usages([NOTHING_SPENT, NOTHING_SPENT]) == NOTHING_SPENT


@pytest.mark.parametrize("usages", [[], [Usage()], [Usage(), Usage()]])
def test_nothing_known_is_unknown_not_0(usages: list[Usage]) -> None:
    assert add_usages(usages) == Usage()
