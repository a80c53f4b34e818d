"""planned = scored + faults + interrupted + not run, always."""

import itertools

from agent_bench.model import Outcome
from agent_bench.statistics.ledger import ledger_of


def test_the_sum_holds_for_every_mixture() -> None:
    for mixture in itertools.combinations_with_replacement([None, *Outcome], 3):
        ledger = ledger_of((outcome, True) for outcome in mixture)
        assert ledger.planned == 3
        assert ledger.planned == ledger.scored + ledger.faults + ledger.interrupted + ledger.not_run
        assert sum(ledger.reasons.values()) == ledger.planned - ledger.scored


def test_words_say_what_was_not_counted_and_why() -> None:
    found = [
        (Outcome.COMPLETED, True),
        (Outcome.TIMED_OUT, False),
        (Outcome.PROVIDER_FAILED, False),
        (Outcome.UNAVAILABLE, False),
        (None, False),
    ]
    assert ledger_of(found).words() == (
        "planned 5 = 2 scored + 1 faults + 0 interrupted + 2 not run"
        " · not counted: 1 not started, 1 provider failed, 1 unavailable"
        " · 1 scored without an overall: too little was observed"
    )
