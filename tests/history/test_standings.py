"""The rows of a leaderboard: what is counted, what is not and why, and what must not be averaged silently."""

from collections.abc import Sequence
from typing import Any

import pytest

from agent_bench.history.standings import PlannedTrial, Standing, standings
from agent_bench.model import Outcome
from agent_bench.statistics.intervals import clustered_mean


def planned(agent: str = "a", task: str = "t1", overall: float | None = 0.5, **changes: Any) -> PlannedTrial:
    given: dict[str, Any] = {
        "agent": agent,
        "model": "",
        "model_used": "m",
        "task_id": task,
        "task_digest": f"digest of {task}",
        "settings_digest": f"limits of {task}",
        "agent_version": "1.0",
        "sandbox": "bubblewrap/open",
        "harness_version": "0.1.0",
        "outcome": Outcome.COMPLETED,
        "overall": overall,
        "wall_sec": 2.0,
        "input_tokens": 100,
        "output_tokens": 10,
        "tokens": 110,
        "cost_usd": 0.25,
    }
    return PlannedTrial(**{**given, **changes})


def fault(agent: str = "a", task: str = "t1", outcome: Outcome | None = Outcome.PROVIDER_FAILED) -> PlannedTrial:
    unknown = {"model_used": None, "wall_sec": None, "input_tokens": None, "output_tokens": None, "tokens": None}
    return planned(agent, task, None, outcome=outcome, cost_usd=None, **unknown)


def _only(trials: Sequence[PlannedTrial]) -> Standing:
    (row,) = standings(trials, "agent")
    return row


def test_a_row_tells_its_mean_and_everything_that_is_not_in_it() -> None:
    trials = [
        *(planned(task="t1", overall=value) for value in (0.9, 0.7)),
        planned(task="t2", overall=0.2, outcome=Outcome.TIMED_OUT),
        planned(task="t2", overall=None),
        fault(task="t2"),
        fault(task="t3", outcome=Outcome.INTERRUPTED),
        fault(task="t3", outcome=None),
        fault(task="t4", outcome=Outcome.UNSUPPORTED),
    ]
    row = _only(trials)
    assert row.mean == pytest.approx(0.6)
    expected = clustered_mean({"t1": [0.9, 0.7], "t2": [0.2]})
    assert (row.low, row.high) == (expected.low, expected.high)
    assert (row.counted, row.not_counted, row.tasks) == (3, 5, 2)
    assert row.not_counted_reasons == {
        "provider_failed": 1,
        "interrupted": 1,
        "not_started": 1,
        "unsupported": 1,
        "no_overall": 1,
    }
    assert sum(row.not_counted_reasons.values()) == row.not_counted
    assert (row.ledger.planned, row.ledger.scored, row.ledger.not_observed) == (8, 4, 1)
    # Missing ones count 0 here, but for the one that could not run at all.
    assert row.strict_mean == pytest.approx(1.8 / 7)
    assert row.wall_sec == 2.0


def test_costs_and_tokens_say_how_much_of_them_is_unknown() -> None:
    trials = [
        planned(cost_usd=0.5),
        planned(cost_usd=0.25),
        planned(cost_usd=None),
        # Output unknown: what is known of the cost is a lower bound.
        planned(cost_usd=0.25, output_tokens=None),
        planned(cost_usd=None, input_tokens=None, output_tokens=None, tokens=None),
        # The agent told its cost without its tokens.
        planned(cost_usd=1.0, input_tokens=None, output_tokens=None, tokens=None),
        planned(overall=None, outcome=Outcome.GRADING_FAILED, cost_usd=8.0),
    ]
    row = _only(trials)
    assert row.cost_usd == pytest.approx(2.0)
    assert row.cost_mean_usd == pytest.approx(0.5)
    assert row.cost_unknown == 3
    assert row.cost_lost_usd == 8.0
    assert (row.tokens, row.tokens_unknown) == (440, 2)


def test_nothing_known_is_unknown_not_0() -> None:
    row = _only([fault()])
    assert (row.mean, row.low, row.high, row.cost_usd, row.cost_mean_usd, row.wall_sec, row.tokens) == (None,) * 7
    assert (row.strict_mean, row.counted, row.rank, row.interval_note) == (0.0, 0, "", "nothing counted")


def test_rows_that_could_not_run_are_left_out() -> None:
    assert standings([fault(outcome=Outcome.UNAVAILABLE)], "agent") == []
    assert standings([], "agent") == []


def test_best_first_and_those_without_a_mean_last() -> None:
    rows = standings([planned("low", overall=0.1), fault("none"), planned("high", overall=0.9)], "agent")
    assert [row.name for row in rows] == ["high", "low", "none"]


def test_ranks_are_ranges_where_the_data_do_not_separate() -> None:
    level = {"best": 0.9, "even": 0.89, "worst": 0.1}
    trials = [
        planned(agent, f"t{number}", value - 0.02 * (number % 3))
        for agent, value in level.items()
        for number in range(9)
    ]
    trials.append(planned("once", overall=0.5))
    assert {row.name: row.rank for row in standings(trials, "agent")} == {
        "best": "1-3",
        "even": "1-3",
        # One trial has no interval: it can be anywhere.
        "once": "1-4",
        "worst": "3-4",
    }


def test_an_agent_with_two_models_asked_for_is_two_rows() -> None:
    rows = standings([planned(model="x", model_used="x-1"), planned(model="y", model_used="y-1")], "agent")
    assert {row.name for row in rows} == {"a [x]", "a [y]"}
    assert all(row.mixed == () for row in rows)


def test_a_trial_without_an_answer_belongs_to_the_model_of_its_agent() -> None:
    rows = standings([planned("a", model_used="m-1"), fault("a"), fault("b")], "model")
    assert {row.name: row.ledger.planned for row in rows} == {"m-1": 2, "b (model unknown)": 1}
    # With several it could be either.
    rows = standings([planned("a", model_used="m-1"), planned("a", model_used="m-2"), fault("a")], "model")
    assert {row.name for row in rows} == {"m-1", "m-2", "a (model unknown)"}


def test_a_row_of_a_task_is_clustered_by_agent() -> None:
    (row,) = standings([planned("a", overall=0.8), planned("b", overall=0.6), planned("b", overall=0.4)], "task")
    expected = clustered_mean({"a": [0.8], "b": [0.6, 0.4]}, unit="agent")
    assert (row.name, row.low, row.high, row.tasks) == ("t1", expected.low, expected.high, 1)
    (row,) = standings([planned("a", overall=0.8)], "task")
    assert row.interval_note == "one agent only: it tells nothing about others"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"task_digest": "changed"}, "changed tasks: t1"),
        ({"agent_version": "1.1"}, "2 versions of a: 1.0, 1.1"),
        ({"model_used": "n"}, "2 models of a: m, n"),
        ({"settings_digest": "other"}, "several settings or limits"),
        ({"sandbox": "local/open"}, "2 sandboxes: bubblewrap/open, local/open"),
        ({"harness_version": "0.2.0"}, "2 versions of agent-bench: 0.1.0, 0.2.0"),
    ],
)
def test_what_should_be_alike_and_is_not_is_said(change: dict[str, str], words: str) -> None:
    assert _only([planned(), planned(**change)]).mixed == (words,)
    (by_task,) = standings([planned(), planned(**change)], "task")
    assert by_task.mixed == (words,)


def test_what_differs_from_task_to_task_or_is_not_counted_is_not_mixed() -> None:
    assert _only([planned(task="t1"), planned(task="t2"), fault(task="t3")]).mixed == ()
    assert _only([planned(), planned(overall=None, agent_version="2.0")]).mixed == ()


def test_a_model_driven_by_several_agents_is_said() -> None:
    (row,) = standings([planned("a"), planned("b", agent_version="7")], "model")
    assert row.mixed == ("2 agents: a, b",)


def test_as_json_is_plain_data() -> None:
    found = _only([planned(), fault()]).as_json()
    assert found["not_counted_reasons"] == {"provider_failed": 1}
    assert found["ledger"]["planned"] == 2
