"""Attempts from a real history, and from files as runs leave them."""

import json
from pathlib import Path
from typing import Any

import pytest
from history_data import fault_of, record_of, run_of

from agent_bench.errors import FileError
from agent_bench.history.attempts import Attempt, from_files, from_history, once
from agent_bench.history.queries import Filter
from agent_bench.history.store import History
from agent_bench.model import Outcome, Run, RunResult, Score, Trial, TrialRecord
from agent_bench.reports.grade_report import grade_json

SEED_RUN = {
    "solver": "claude",
    "created_at": "2026-12-01T12:00:00",
    "harness_version": "0.1.0",
    "command": "claude -p",
    "tasks": [
        {"task_id": "py-001", "language": "python", "resolved": True, "f2p_passed": 5, "f2p_total": 5, "note": ""},
        {"task_id": "ts-001", "language": "typescript", "resolved": False, "f2p_passed": 1, "f2p_total": 4, "note": ""},
    ],
}


def graded(trial: Trial, resolved: bool | None, **changes: Any) -> TrialRecord:
    return record_of(trial, score=Score(value=float(bool(resolved)), resolved=resolved, reason="test"), **changes)


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text)
    return path


@pytest.fixture
def run() -> Run:
    return run_of("r1", attempts=4, models=("m",))


@pytest.fixture
def records(run: Run) -> list[TrialRecord]:
    """Solved, not solved although timed out, a fault; the fourth trial has none."""
    first, second, third, _ = run.trials
    return [
        graded(first, True, model="m-2026", agent_version="1.0"),
        graded(second, False, outcome=Outcome.TIMED_OUT),
        fault_of(third),
    ]


def facts(attempts: list[Attempt]) -> list[tuple[int, bool | None, str]]:
    return sorted((attempt.key.attempt, attempt.resolved, attempt.not_counted) for attempt in attempts)


EXPECTED = [(1, True, ""), (2, False, ""), (3, None, "provider_failed"), (4, None, "not_started")]


def test_history_and_files_tell_the_same(
    history: History, run: Run, records: list[TrialRecord], tmp_path: Path
) -> None:
    history.add_run(run)
    history.add_records(records)
    stored = from_history(history, Filter())
    path = write(tmp_path / "results.json", RunResult(run=run, records=tuple(records)).model_dump_json())
    read = from_files(path)
    assert facts(stored) == facts(list(read.attempts)) == EXPECTED
    assert [attempt.model for attempt in stored] == ["m-2026", "m", "m", "m"]
    assert set(stored) == set(read.attempts)
    assert once([*stored, *read.attempts, *stored]) == stored


def test_a_selection_of_the_history(history: History, run: Run) -> None:
    other = run_of("r2", tasks=("t", "u"))
    history.add_run(run)
    history.add_run(other)
    assert len(from_history(history, Filter(task="t"))) == 5
    assert len(from_history(history, Filter(run="r2"))) == 2


def test_dry_runs_and_tasks_without_a_verdict_do_not_count(run: Run, tmp_path: Path) -> None:
    dry = run_of("d", dry_run=True, attempts=2)
    made_up = RunResult(run=dry, records=(graded(dry.trials[0], True, dry_run=True),))
    write(tmp_path / "results.json", made_up.model_dump_json())
    write(tmp_path / "t" / "trial.json", graded(run.trials[0], None).model_dump_json())
    attempts = from_files(tmp_path).attempts
    assert [attempt.not_counted for attempt in attempts] == ["dry_run", "dry_run", "no_verdict"]


def test_folders_are_searched_and_each_trial_counts_once(run: Run, records: list[TrialRecord], tmp_path: Path) -> None:
    write(tmp_path / "old" / "results.json", RunResult(run=run, records=tuple(records)).model_dump_json())
    write(tmp_path / "old" / "copy" / "results.json", RunResult(run=run, records=tuple(records)).model_dump_json())
    for number, record in enumerate(records):
        write(tmp_path / "runs" / "a" / "t" / str(number) / "trial.json", record.model_dump_json())
    read = from_files(tmp_path)
    assert read.files == 5
    assert len(read.attempts) == 11
    assert facts(once(read.attempts)) == EXPECTED


def test_a_trial_that_was_run_again_counts_as_the_history_has_it(run: Run, tmp_path: Path) -> None:
    trial = run.trials[0]
    fault, good, late = fault_of(trial), graded(trial, True), fault_of(trial)
    for name, record in (("1", fault), ("2", good), ("3", late)):
        write(tmp_path / name / "trial.json", record.model_dump_json())
    assert facts(once(from_files(tmp_path).attempts)) == [(1, True, "")]
    assert facts(once(reversed(from_files(tmp_path).attempts))) == [(1, True, "")]


def test_what_an_agent_left_is_not_looked_at(run: Run, records: list[TrialRecord], tmp_path: Path) -> None:
    finished = tmp_path / "runs" / "a" / "t" / "one"
    write(finished / "trial.json", records[1].model_dump_json())
    forged = {**SEED_RUN, "tasks": [{"task_id": "t", "resolved": True}]}
    write(finished / "output" / "run.json", forged)
    write(finished / "run.json", forged)
    unfinished = tmp_path / "runs" / "a" / "t" / "20261201T120000Z-1-abcdef"
    write(unfinished / "output" / "results.json", RunResult(run=run, records=(records[0],)).model_dump_json())
    outside = write(tmp_path / "elsewhere" / "x.json", forged)
    (tmp_path / "runs" / "run.json").symlink_to(outside)
    assert facts(list(from_files(tmp_path / "runs").attempts)) == [(2, False, "")]
    assert facts(list(from_files(finished).attempts)) == [(2, False, "")]


def test_runs_of_seed_001(tmp_path: Path) -> None:
    write(tmp_path / "run-1" / "run.json", SEED_RUN)
    write(tmp_path / "copy" / "run-1" / "run.json", SEED_RUN)
    write(tmp_path / "run-2" / "run.json", {**SEED_RUN, "created_at": "2026-12-02T12:00:00"})
    attempts = once(from_files(tmp_path).attempts)
    assert [(attempt.key.task, attempt.key.agent, attempt.resolved) for attempt in attempts] == [
        ("py-001", "claude", True),
        ("ts-001", "claude", False),
    ] * 2
    assert {attempt.task_digest for attempt in attempts} == {""}
    assert all(not attempt.not_counted for attempt in attempts)


def test_a_report_of_grade_gives_way_to_the_records_that_it_sums_up(
    run: Run, records: list[TrialRecord], tmp_path: Path
) -> None:
    finished = [record.model_copy(update={"task_language": "python"}) for record in records]
    ended = records[-1].ended_at
    write(tmp_path / "grade" / "run.json", grade_json("a", None, ended, finished))
    summed_up = from_files(tmp_path / "grade").attempts
    assert [(attempt.resolved, attempt.not_counted) for attempt in summed_up] == [
        (True, ""),
        (False, ""),
        (None, "provider_failed"),
    ]
    assert {attempt.task_digest for attempt in summed_up} == {"digest-t"}
    write(tmp_path / "results.json", RunResult(run=run, records=tuple(records)).model_dump_json())
    assert facts(once(from_files(tmp_path).attempts)) == EXPECTED
    write(tmp_path / "again" / "run.json", grade_json("a", "other words", ended, finished))
    assert len(once([*summed_up, *from_files(tmp_path / "again").attempts])) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "not JSON"),
        ("[]", "not what a run leaves"),
        ('{"tasks": []}', "not what a run leaves"),
        ({"solver": "a", "tasks": [{"task_id": "t", "resolved": "yes"}]}, "tasks.0.resolved"),
        ({"run": {}, "records": []}, "run.id: Field required"),
        ({"record_version": 1, "key": {}}, "id: Field required"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_other_files(content: Any, words: str, tmp_path: Path) -> None:
    path = write(tmp_path / "run.json", content)
    with pytest.raises(FileError, match=words):
        from_files(path)
    good = write(tmp_path / "b" / "run.json", SEED_RUN)
    read = from_files(tmp_path)
    assert read.attempts == from_files(good).attempts
    assert [problem.path for problem in read.problems] == [path]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="not readable"):
        from_files(tmp_path / "gone.json")
