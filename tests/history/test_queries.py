"""Listings, ledgers and standings from a real history."""

import json
from datetime import timedelta

import pytest
from history_data import START, fault_of, record_of, run_of

from agent_bench.history.queries import Filter, leaderboard, ledger, recent
from agent_bench.history.store import History
from agent_bench.model import Outcome


@pytest.fixture
def filled(history: History) -> History:
    """Two agents on two tasks three times: ``good`` 0.9, ``bad`` 0.2 with faults; one not available; a dry run."""
    run = run_of(
        "r1", attempts=3, agents=("good", "bad", "gone"), tasks=("t1", "t2"), skip={"gone": Outcome.UNAVAILABLE}
    )
    history.add_run(run)
    for trial in run.trials:
        key = trial.key
        if key.agent == "good":
            history.add_records([record_of(trial, overall=0.9 if key.task == "t1" else 0.8)])
        elif key.agent == "bad" and key.attempt == 1:
            history.add_records([record_of(trial, overall=0.2, cost_usd=None)])
        elif key.agent == "bad" and key.attempt == 2:
            history.add_records([fault_of(trial)])
    dry = run_of("dry", agents=("good",), dry_run=True)
    history.add_run(dry)
    history.add_records([record_of(trial, overall=1.0, dry_run=True) for trial in dry.trials])
    return history


def test_standings_say_what_is_counted(filled: History) -> None:
    good, bad = leaderboard(filled, "agent", Filter())
    assert (good.name, good.mean, good.counted, good.not_counted) == ("good", pytest.approx(0.85), 6, 0)
    assert good.cost_usd == pytest.approx(1.5)
    assert (bad.name, bad.mean, bad.counted, bad.not_counted) == ("bad", pytest.approx(0.2), 2, 4)
    assert bad.strict_mean == pytest.approx(0.4 / 6)
    assert (bad.cost_usd, bad.cost_unknown) == (None, 2)
    assert bad.not_counted_reasons == {"provider_failed": 2, "not_started": 2}
    assert [row.name for row in leaderboard(filled, "task", Filter())] == ["t1", "t2"]
    assert [row.name for row in leaderboard(filled, "model", Filter(agent="good"))] == ["good (model unknown)"]


def test_every_view_tells_the_same_ledger(filled: History) -> None:
    whole = ledger(filled, Filter())
    assert (whole.planned, whole.scored, whole.faults, whole.not_run) == (18, 8, 2, 8)
    for by in ("agent", "model", "task"):
        rows = leaderboard(filled, by, Filter())  # type: ignore[arg-type]
        assert sum(row.ledger.scored for row in rows) == whole.scored
        assert sum(row.ledger.faults for row in rows) == whole.faults
        assert all(row.counted + row.not_counted == row.ledger.planned for row in rows)
    for agent in ("good", "bad"):
        (row,) = leaderboard(filled, "agent", Filter(agent=agent))
        assert row.ledger == ledger(filled, Filter(agent=agent))


def test_the_listing_shows_faults_and_marks_dry_runs(filled: History) -> None:
    rows = recent(filled, 3, Filter())
    assert [(row.run, row.dry_run) for row in rows] == [("dry", True), ("r1", False), ("r1", False)]
    everything = recent(filled, 100, Filter())
    assert [row.ended_at for row in everything] == sorted((row.ended_at for row in everything), reverse=True)
    assert len(everything) == 11
    fault = next(row for row in everything if row.outcome == "provider_failed")
    assert (fault.overall, fault.tokens, fault.cost_usd, fault.reason) == (None, None, None, "429")
    good = next(row for row in everything if row.agent == "good" and not row.dry_run)
    assert (good.tokens, good.usage_source, good.cost_usd, good.wall_sec) == (110, "reported", 0.25, 2.0)


def test_filters(filled: History) -> None:
    assert {row.agent for row in recent(filled, 50, Filter(agent="bad"))} == {"bad"}
    assert {row.task for row in recent(filled, 50, Filter(task="t2"))} == {"t2"}
    assert {row.run for row in recent(filled, 50, Filter(run="dry"))} == {"dry"}
    assert recent(filled, 50, Filter(since=START + timedelta(days=1))) == []
    assert ledger(filled, Filter(run="r1", task="t1")).planned == 9


def test_since_keeps_what_was_planned_then_and_has_no_record(history: History) -> None:
    old, new = run_of("old", attempts=3), run_of("new", attempts=3, started_at=START + timedelta(days=2))
    for run in (old, new):
        history.add_run(run)
    history.add_records([record_of(old.trials[0])])
    history.add_records([record_of(new.trials[0], ended_at=START + timedelta(days=2, hours=1))])
    # One that was planned earlier but ended later is in it.
    history.add_records([record_of(old.trials[1], ended_at=START + timedelta(days=3))])
    found = ledger(history, Filter(since=START + timedelta(days=1)))
    assert (found.planned, found.scored, found.not_run) == (4, 2, 2)
    (row,) = leaderboard(history, "agent", Filter(since=START + timedelta(days=1)))
    assert row.ledger == found


def test_dry_runs_are_in_no_statistic(history: History) -> None:
    run = run_of("dry", dry_run=True)
    history.add_run(run)
    history.add_records([record_of(trial, dry_run=True) for trial in run.trials])
    assert leaderboard(history, "agent", Filter()) == []
    assert leaderboard(history, "agent", Filter(run="dry")) == []
    assert ledger(history, Filter()).planned == 0
    assert ledger(history, Filter(run="dry")).planned == 1


def test_whatever_differs_is_never_averaged_silently(history: History) -> None:
    for name, sandbox in (("1", "local/open"), ("2", "bubblewrap/open")):
        run = run_of(name, digest=name, settings=name, version=f"v{name}", harness_version=f"0.{name}.0")
        history.add_run(run)
        history.add_records([record_of(trial, sandbox=sandbox, model=f"m{name}") for trial in run.trials])
    (row,) = leaderboard(history, "agent", Filter())
    assert row.mixed == (
        "changed tasks: t",
        "2 versions of a: v1, v2",
        "2 models of a: m1, m2",
        "several settings or limits",
        "2 sandboxes: bubblewrap/open, local/open",
        "2 versions of agent-bench: 0.1.0, 0.2.0",
    )
    assert (row.wall_sec, row.tokens, row.cost_usd, row.mean) == (2.0, 220, 0.5, 0.5)


def test_the_view_has_the_columns_and_the_score_of_seed_002(filled: History) -> None:
    with filled.reading() as connection:
        result = connection.exec_driver_sql("SELECT * FROM framework_runs ORDER BY id")
        names, rows = list(result.keys()), [row._asdict() for row in result]
    assert ",".join(names) == (
        "id,ts,framework,task_id,model,wall_sec,input_tokens,output_tokens,cost_usd,files_produced,overall,score_json,"
        "workdir"
    )
    # What ran and has a record; nothing made up by a dry run.
    assert sorted(row["framework"] for row in rows) == ["bad"] * 4 + ["good"] * 6
    first = next(row for row in rows if row["framework"] == "good")
    assert (first["task_id"], first["overall"], first["files_produced"]) == ("t1", 0.9, 2)
    assert (first["input_tokens"], first["output_tokens"], first["wall_sec"], first["model"]) == (100, 10, 2.0, None)
    assert json.loads(first["score_json"]) == {
        "files_ok": True,
        "imports_ok": None,
        "ruff_ok": None,
        "pytest_score": None,
        "judge_score": None,
        "overall": 0.9,
    }


def test_the_view_names_the_model_that_answered_else_the_one_asked_for(history: History) -> None:
    run = run_of("r1", models=("asked", None), attempts=2)
    history.add_run(run)
    history.add_records([record_of(t, model="answered" if t.key.attempt == 1 else t.key.model) for t in run.trials])
    with history.reading() as connection:
        models = connection.exec_driver_sql("SELECT model FROM framework_runs ORDER BY id").scalars().all()
    assert models == ["answered", "answered", "asked", None]
