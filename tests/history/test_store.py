"""What goes in comes out, once, and what stands does not depend on the order."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from itertools import permutations

import pytest
from history_data import START, fault_of, record_of, run_of

from agent_bench.errors import HistoryError, UsageError
from agent_bench.history.queries import Filter, ledger, recent
from agent_bench.history.store import History
from agent_bench.model import Outcome, Signal, Usage


def test_what_goes_in_comes_out(history: History) -> None:
    run = run_of("r1", attempts=3, agents=("a", "b"), models=(None, "m"))
    history.add_run(run)
    history.add_run(run)
    records = [record_of(trial) for trial in run.trials]
    history.add_records(records[:5])
    history.add_records(records)
    history.add_records([])
    assert history.run("r1") == run
    assert list(history.records("r1")) == records
    assert list(history.records_json("r1")) == [record.model_dump_json() for record in records]
    assert list(history.records("r2")) == []
    assert ledger(history, Filter()).scored == 12


def test_records_come_in_the_order_of_the_plan_however_many(history: History) -> None:
    run = run_of("r1", attempts=250)
    history.add_run(run)
    records = [record_of(trial) for trial in run.trials]
    history.add_records(records[::-1])
    assert list(history.records("r1")) == records


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_what_stands_does_not_depend_on_the_order(tmp_path_factory: pytest.TempPathFactory, order: list[int]) -> None:
    run = run_of("r1")
    (trial,) = run.trials
    records = [
        fault_of(trial, Outcome.SANDBOX_FAILED),
        record_of(trial, overall=0.75),
        fault_of(trial, Outcome.INTERRUPTED),
        fault_of(trial),
    ]
    with History(str(tmp_path_factory.mktemp("h") / "bench.db")) as history:
        history.add_run(run)
        for number in order:
            history.add_records([records[number]])
        assert list(history.records("r1")) == [records[1]]
        assert ledger(history, Filter()).scored == 1


def test_a_later_fault_replaces_an_earlier_one_and_nothing_else_does(history: History) -> None:
    run = run_of("r1")
    (trial,) = run.trials
    early, late = fault_of(trial), fault_of(trial, Outcome.INTERRUPTED)
    history.add_run(run)
    for record in (early, late, early):
        history.add_records([record])
    assert list(history.records("r1")) == [late]
    assert ledger(history, Filter()).interrupted == 1


def test_a_record_that_counts_is_never_replaced(history: History) -> None:
    run = run_of("r1")
    (trial,) = run.trials
    first = record_of(trial, outcome=Outcome.TIMED_OUT, overall=0.1)
    history.add_run(run)
    history.add_records([first, record_of(trial, overall=1.0), fault_of(trial)])
    assert list(history.records("r1")) == [first]
    with history.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM signals").scalar_one() == 2


def test_what_was_planned_as_unavailable_can_still_be_run(history: History) -> None:
    run = run_of("r1", skip={"a": Outcome.UNAVAILABLE})
    history.add_run(run)
    assert ledger(history, Filter()).reasons == {"unavailable": 1}
    history.add_records([record_of(run.trials[0])])
    assert ledger(history, Filter()).scored == 1


def test_a_batch_goes_in_whole_or_not_at_all(history: History) -> None:
    run = run_of("r1", attempts=3)
    history.add_run(run)
    stray = record_of(run_of("nowhere").trials[0])
    with pytest.raises(HistoryError, match=r"a on t #1 belongs to no plan .*\(run nowhere\)"):
        history.add_records([*(record_of(trial) for trial in run.trials), stray])
    assert list(history.records("r1")) == []


def test_trials_are_found_by_the_start_of_their_id(history: History) -> None:
    run = run_of("r1", attempts=3)
    history.add_run(run)
    ids = ("abc1", "abc", "x_%y")
    records = [record_of(trial, id=name) for trial, name in zip(run.trials, ids, strict=True)]
    history.add_records(records)
    assert history.find_trial("abc") == records[1]
    assert history.find_trial("abc1") == records[0]
    assert history.find_trial("x_") == records[2]
    for nothing in ("zzz", "", "%", "a_c"):
        with pytest.raises(UsageError, match="no trial"):
            history.find_trial(nothing)
    with pytest.raises(UsageError, match="several trials begin with 'ab'"):
        history.find_trial("ab")


def test_runs_are_found_by_the_start_of_their_id(history: History) -> None:
    for number, name in enumerate(("20261201-1", "20261201-12", "20261202-1")):
        history.add_run(run_of(name, started_at=START + timedelta(hours=number)))
    assert history.run("20261202").id == "20261202-1"
    assert history.run("20261201-1").id == "20261201-1"
    assert history.run("latest").id == "20261202-1"
    with pytest.raises(UsageError, match="several runs"):
        history.run("20261201")
    with pytest.raises(UsageError, match="no run 'nothing'"):
        history.run("nothing")


def test_a_history_without_runs_has_no_latest(history: History) -> None:
    with pytest.raises(UsageError, match="no run 'latest'"):
        history.run("latest")


def test_what_an_agent_makes_up_does_not_break_the_history(history: History) -> None:
    run = run_of("r1")
    (trial,) = run.trials
    history.add_run(run)
    record = record_of(
        trial,
        reason="nul \0 and \N{PILE OF POO}",
        model="m\0",
        usage=Usage(input_tokens=10**30, output_tokens=-5, source="reported"),
        cost_usd=float("inf"),
        signals=(Signal(name="x", value=0.5, reason="\0"), Signal(name="x", reason="twice")),
    )
    history.add_records([record])
    (row,) = recent(history, 5, Filter())
    assert (row.reason, row.model) == ("nul \\x00 and \N{PILE OF POO}", "m\\x00")
    assert (row.tokens, row.cost_usd) == (None, None)
    (stored,) = history.records("r1")
    assert stored.usage.input_tokens == 10**30


def test_counts_of_tokens_that_no_sum_could_hold_are_unknown(history: History) -> None:
    run = run_of("r1")
    history.add_run(run)
    usage = Usage(input_tokens=5, output_tokens=2**62, cache_read_tokens=2**62, cache_write_tokens=2**63 - 1)
    history.add_records([record_of(run.trials[0], usage=usage)])
    (row,) = recent(history, 5, Filter())
    assert row.tokens == 5


def test_times_are_kept_in_utc_whatever_they_came_in(history: History) -> None:
    run = run_of("r1", started_at=datetime(2026, 12, 1, 14, tzinfo=timezone(timedelta(hours=2))))
    history.add_run(run)
    ended = datetime(2026, 12, 1, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    history.add_records([record_of(run.trials[0], ended_at=ended)])
    (row,) = recent(history, 5, Filter(since=datetime(2026, 12, 2, 4, 30, tzinfo=UTC)))
    assert row.ended_at == "2026-12-02T04:30:00+00:00"
    assert recent(history, 5, Filter(since=datetime(2026, 12, 2, 4, 31, tzinfo=UTC))) == []


def test_many_threads_may_write_and_read_at_once(history: History) -> None:
    run = run_of("r1", attempts=80)
    history.add_run(run)

    def work(number: int) -> int:
        history.add_records([record_of(trial) for trial in run.trials[number * 10 : number * 10 + 10]])
        return ledger(history, Filter()).scored

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(work, range(8)))
    assert max(seen) == 80
    assert min(seen) >= 10


def test_a_record_of_another_version_is_said_and_hides_no_others(history: History) -> None:
    run = run_of("r1", attempts=2)
    history.add_run(run)
    records = [record_of(trial) for trial in run.trials]
    history.add_records(records)
    with history.transaction() as connection:
        connection.exec_driver_sql(
            "UPDATE records SET record_json = '{}' WHERE trial = (SELECT min(trial) FROM records)"
        )
    with pytest.raises(HistoryError, match=f"trial {records[0].id} .* cannot be read"):
        history.find_trial(records[0].id)
    assert history.find_trial(records[1].id) == records[1]
    assert len(recent(history, 5, Filter())) == 2
