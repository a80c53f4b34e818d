"""Standings, ledgers and listings from a real history."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from history_data import START, record_of, run_of

from agent_bench.history.files import write_plan, write_record
from agent_bench.history.queries import Filter, leaderboard, ledger, recent
from agent_bench.history.rebuild import rebuild
from agent_bench.history.store import History, open_history
from agent_bench.model import Outcome
from agent_bench.statistics.intervals import clustered_mean


def _history(tmp_path: Path) -> History:
    """Two agents on two tasks three times: ``good`` 0.9, ``bad`` 0.2 with faults; one that is not available."""
    history = open_history(tmp_path / "bench.db")
    run = run_of(
        "r1",
        attempts=3,
        agents=("good", "bad", "gone"),
        tasks=("t1", "t2"),
        skip={"gone": Outcome.UNAVAILABLE},
    )
    history.add_run(run)
    for trial in run.trials:
        key = trial.key
        if key.agent == "good":
            record = record_of(trial, overall=0.9 if key.task == "t1" else 0.8)
        elif key.agent == "bad" and key.attempt == 1:
            record = record_of(trial, overall=0.2, cost_usd=None)
        elif key.agent == "bad" and key.attempt == 2:
            record = record_of(trial, overall=None, outcome=Outcome.PROVIDER_FAILED)
        else:
            continue
        history.add_records([record])
    dry = run_of("dry", agents=("good",), dry_run=True)
    history.add_run(dry)
    history.add_records([record_of(trial, overall=1.0, dry_run=True) for trial in dry.trials])
    return history


def test_standings_say_what_is_counted(tmp_path: Path) -> None:
    with _history(tmp_path) as history:
        good, bad = leaderboard(history, "agent", Filter())
    assert (good.name, good.counted, good.not_counted, good.tasks) == ("good", 6, 0, 2)
    assert good.mean == pytest.approx(0.85)
    expected = clustered_mean({"t1": [0.9] * 3, "t2": [0.8] * 3})
    assert (good.low, good.high) == (expected.low, expected.high)
    assert good.cost_usd == pytest.approx(1.5)
    assert (bad.counted, bad.not_counted) == (2, 4)
    assert bad.mean == pytest.approx(0.2)
    assert bad.strict_mean == pytest.approx(0.4 / 6)
    assert (bad.cost_usd, bad.cost_unknown) == (None, 2)
    assert (bad.ledger.planned, bad.ledger.scored, bad.ledger.faults, bad.ledger.not_run) == (6, 2, 2, 2)


def test_ranks_are_ranges_where_the_data_do_not_separate(tmp_path: Path) -> None:
    with open_history(tmp_path / "bench.db") as history:
        tasks = tuple(f"t{number}" for number in range(8))
        run = run_of("r1", agents=("best", "even", "worst"), tasks=tasks)
        history.add_run(run)
        for number, trial in enumerate(run.trials):
            wobble = 0.02 * (number % 5)
            level = {"best": 0.8, "even": 0.79, "worst": 0.1}[trial.key.agent]
            history.add_records([record_of(trial, overall=level + wobble)])
        assert {row.name: row.rank for row in leaderboard(history, "agent", Filter())} == {
            "best": "1-2",
            "even": "1-2",
            "worst": "3",
        }


def test_mixed_identities_are_said(tmp_path: Path) -> None:
    with open_history(tmp_path / "bench.db") as history:
        for name, digest, version, sandbox in (
            ("r1", "d1", "1.0", "local/open"),
            ("r2", "d2", "1.1", "bubblewrap/open"),
        ):
            run = run_of(name)
            trials = tuple(t.model_copy(update={"task_digest": digest}) for t in run.trials)
            history.add_run(run.model_copy(update={"trials": trials}))
            history.add_records([record_of(t, agent_version=version, sandbox=sandbox) for t in trials])
        (row,) = leaderboard(history, "agent", Filter())
    assert row.mixed == (
        "changed tasks: t",
        "2 versions of a: 1.0, 1.1",
        "2 sandboxes: bubblewrap/open, local/open",
    )


def test_filters_and_order_of_the_listing(tmp_path: Path) -> None:
    with _history(tmp_path) as history:
        rows = recent(history, 3, Filter())
        assert [row.run for row in rows] == ["dry", "r1", "r1"]
        assert [row.ended_at for row in rows] == sorted((row.ended_at for row in rows), reverse=True)
        assert {row.agent for row in recent(history, 50, Filter(agent="bad"))} == {"bad"}
        assert {row.task for row in recent(history, 50, Filter(task="t2"))} == {"t2"}
        assert recent(history, 50, Filter(since=START + timedelta(days=1))) == []
        assert ledger(history, Filter(run="r1")).planned == 18
        assert ledger(history, Filter()).planned == 18


def test_dry_runs_are_in_no_statistic(tmp_path: Path) -> None:
    with open_history(tmp_path / "bench.db") as history:
        run = run_of("dry", dry_run=True)
        history.add_run(run)
        history.add_records([record_of(trial, dry_run=True) for trial in run.trials])
        assert leaderboard(history, "agent", Filter()) == []
        assert ledger(history, Filter()).planned == 0
        assert ledger(history, Filter(run="dry")).planned == 1


def test_the_view_has_the_columns_and_the_score_of_seed_002(tmp_path: Path) -> None:
    _history(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "bench.db")) as connection:
        cursor = connection.execute(
            "select framework, overall, score_json from framework_runs where framework = 'good'"
        )
        framework, overall, score = cursor.fetchone()
    assert (framework, overall) == ("good", 0.9)
    assert score == (
        '{"files_ok": true, "imports_ok": null, "ruff_ok": null, "pytest_score": null, "judge_score": null,'
        ' "overall": 0.9}'
    )


def test_a_rebuilt_history_answers_alike(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    run = run_of("r1", attempts=2, agents=("a", "b"))
    with open_history(tmp_path / "bench.db") as history:
        history.add_run(run)
        write_plan(runs, run)
        for number, trial in enumerate(run.trials):
            folder = runs / trial.key.agent / trial.key.task / str(number)
            (folder / "logs").mkdir(parents=True)
            (folder / "output").mkdir()
            # What an agent leaves may bear any name.
            (folder / "output" / "trial.json").write_text("{}")
            record = record_of(trial, workdir=str(folder))
            write_record(record)
            history.add_records([record])
        before = (leaderboard(history, "agent", Filter()), recent(history, 50, Filter()))
    (runs / ".plans" / "broken.json").write_text("{")
    with open_history(tmp_path / "again.db") as history:
        done = rebuild(history, runs)
        after = (leaderboard(history, "agent", Filter()), recent(history, 50, Filter()))
        assert (done.runs, done.records) == (1, 4)
        assert [problem.path.name for problem in done.problems] == ["broken.json"]
        assert rebuild(history, runs).records == 4
    assert after == before
