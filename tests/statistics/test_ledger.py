"""planned = scored + faults + interrupted + not run, whatever happened."""

from itertools import combinations_with_replacement

import pytest

from agent_bench.model import Outcome
from agent_bench.statistics.ledger import ledger_of

STATES: list[tuple[Outcome | None, bool]] = [(None, False), *((outcome, False) for outcome in Outcome)]
STATES += [(outcome, True) for outcome in Outcome if outcome.is_counted]


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_the_identity_holds_for_every_mixture(size: int) -> None:
    for states in combinations_with_replacement(STATES, size):
        found = ledger_of(states)
        assert found.planned == size
        assert found.planned == found.scored + found.faults + found.interrupted + found.not_run
        assert found.planned - found.scored == sum(found.reasons.values())
        assert found.not_observed <= found.scored


@pytest.mark.parametrize(
    ("outcome", "place"),
    [
        (Outcome.COMPLETED, "scored"),
        (Outcome.AGENT_FAILED, "scored"),
        (Outcome.TIMED_OUT, "scored"),
        (Outcome.OVER_BUDGET, "scored"),
        (Outcome.SETUP_FAILED, "faults"),
        (Outcome.SANDBOX_FAILED, "faults"),
        (Outcome.PROVIDER_FAILED, "faults"),
        (Outcome.GRADING_FAILED, "faults"),
        (Outcome.INTERRUPTED, "interrupted"),
        (Outcome.UNAVAILABLE, "not_run"),
        (Outcome.UNSUPPORTED, "not_run"),
        (None, "not_run"),
    ],
)
def test_each_outcome_has_its_place(outcome: Outcome | None, place: str) -> None:
    assert getattr(ledger_of([(outcome, True)]), place) == 1


def test_a_scored_trial_without_an_overall_is_scored_and_told() -> None:
    found = ledger_of([(Outcome.COMPLETED, False), (Outcome.COMPLETED, True)])
    assert (found.scored, found.not_observed) == (2, 1)
    assert "1 scored without an overall" in found.words()


def test_the_line_says_what_was_not_counted_and_why() -> None:
    found = ledger_of(
        [(Outcome.COMPLETED, True), (Outcome.PROVIDER_FAILED, False), (Outcome.UNAVAILABLE, False), (None, False)]
    )
    assert found.words() == (
        "planned 4 = 1 scored + 1 faults + 0 interrupted + 2 not run"
        " · not counted: 1 not started, 1 provider failed, 1 unavailable"
    )
