"""The database can be made again from the files."""

import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from history_data import START, fault_of, record_of, run_of

from agent_bench.history.files import new_trial_folder, read_record, write_plan, write_record
from agent_bench.history.queries import By, Filter, leaderboard, ledger, recent
from agent_bench.history.rebuild import rebuild
from agent_bench.history.store import History, open_history
from agent_bench.model import Outcome, Run, Trial, TrialRecord

BYS: Sequence[By] = ("agent", "model", "task")


def _keep(runs: Path, record: TrialRecord, history: History | None = None) -> Path:
    """Does with a record what a run does: its folder, its file, its row."""
    key = record.key
    folder = new_trial_folder(runs, key.agent, key.task, key.attempt, record.started_at)
    kept = record.model_copy(update={"workdir": str(folder)})
    write_record(kept)
    if history:
        history.add_records([kept])
    return folder


def _later(trial: Trial, seconds: float) -> dict[str, object]:
    return {"started_at": START + timedelta(seconds=seconds), "ended_at": START + timedelta(seconds=seconds + 0.5)}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


def _fill(runs: Path, history: History) -> Run:
    run = run_of(
        "r1", attempts=3, agents=("a", "b", "gone"), tasks=("t", "deep/er"), skip={"gone": Outcome.UNSUPPORTED}
    )
    write_plan(runs, run)
    history.add_run(run)
    for number, trial in enumerate(run.trials):
        if trial.key.agent == "a":
            _keep(runs, fault_of(trial, **_later(trial, number)), history)
            _keep(runs, record_of(trial, overall=0.1 * trial.key.attempt, **_later(trial, number + 100)), history)
        elif trial.key.agent == "b" and trial.key.attempt == 1:
            _keep(runs, fault_of(trial, Outcome.INTERRUPTED, **_later(trial, number)), history)
    return run


def test_a_rebuilt_history_answers_alike(runs: Path, place: str, tmp_path: Path) -> None:
    with open_history(tmp_path / "first.db") as history:
        run = _fill(runs, history)
        before = [leaderboard(history, by, Filter()) for by in BYS], ledger(history, Filter())
        listed = recent(history, 100, Filter())
        records = list(history.records("r1"))
    assert before[1].planned == 18
    with open_history(place) as history:
        done = rebuild(history, runs)
        assert (done.runs, done.records, done.problems) == (1, 14, ())
        for _ in range(2):
            assert ([leaderboard(history, by, Filter()) for by in BYS], ledger(history, Filter())) == before
            assert recent(history, 100, Filter()) == listed
            assert list(history.records("r1")) == records
            assert history.run("latest") == run
            # What is there already stays as it is.
            assert rebuild(history, runs) == done


def test_bad_files_are_told_and_hide_no_others(runs: Path, tmp_path: Path) -> None:
    run = run_of("r1", attempts=3)
    write_plan(runs, run)
    folders = [_keep(runs, record_of(trial)) for trial in run.trials]
    (folders[0] / "trial.json").write_text('{"id": "cut o')
    _keep(runs, record_of(run_of("lost").trials[0]))
    stray = record_of(run_of("r1", agents=("stray",)).trials[0])
    _keep(runs, stray)
    (runs / ".plans" / "broken.json").write_bytes(b"\xff\x00")
    (runs / ".plans" / "other.json").write_text('{"id": 1}')
    with open_history(tmp_path / "bench.db") as history:
        done = rebuild(history, runs)
        assert ledger(history, Filter()).scored == 2
        assert (done.runs, done.records) == (1, 3)
    told = [problem.message for problem in done.problems]
    assert len(told) == 5
    for words in (
        "broken.json: not",
        "other.json: id: not",
        "trial.json: not",
        "its run lost has no plan",
        "no plan in",
    ):
        assert any(words in message for message in told), (words, told)
    assert all("\n" not in message for message in told)


def test_what_an_agent_left_is_never_taken_for_a_record(runs: Path, tmp_path: Path) -> None:
    run = run_of("r1", attempts=2)
    write_plan(runs, run)
    true = record_of(run.trials[0], overall=0.1)
    forged = record_of(run.trials[1], overall=1.0)
    finished = _keep(runs, true)
    unfinished = new_trial_folder(runs, "a", "t", 2, START)
    for folder in (finished, unfinished):
        for place in ("output", "output/logs", "traces", "output/20261201T120000Z-1-abcdef"):
            (folder / place).mkdir(parents=True, exist_ok=True)
            (folder / place / "trial.json").write_text(forged.model_dump_json())
    outside = tmp_path / "outside.json"
    outside.write_text(forged.model_dump_json())
    (unfinished / "trial.json").symlink_to(outside)
    os.mkfifo(new_trial_folder(runs, "a", "t", 2, START) / "trial.json")
    (runs / "loop").symlink_to(runs)
    with open_history(tmp_path / "bench.db") as history:
        done = rebuild(history, runs)
        assert (done.records, done.problems) == (1, ())
        assert [record.score.value for record in history.records("r1")] == [0.1]


def test_a_folder_that_somebody_renamed_is_still_read(runs: Path, tmp_path: Path) -> None:
    run = run_of("r1")
    write_plan(runs, run)
    folder = _keep(runs, record_of(run.trials[0]))
    folder.rename(folder.parent / "the good one")
    with open_history(tmp_path / "bench.db") as history:
        assert rebuild(history, runs).records == 1
        assert ledger(history, Filter()).scored == 1


def test_many_records_go_in_batches(runs: Path, tmp_path: Path) -> None:
    run = run_of("r1", attempts=450)
    write_plan(runs, run)
    for trial in run.trials:
        _keep(runs, record_of(trial))
    with open_history(tmp_path / "bench.db") as history:
        assert rebuild(history, runs).records == 450
        assert ledger(history, Filter()).scored == 450


def test_nothing_to_read_is_no_problem(runs: Path, tmp_path: Path) -> None:
    with open_history(tmp_path / "bench.db") as history:
        done = rebuild(history, runs)
    assert (done.runs, done.records, done.problems) == (0, 0, ())


def test_a_record_file_is_read_as_it_was_written(runs: Path) -> None:
    record = record_of(run_of("r1").trials[0])
    folder = _keep(runs, record)
    assert read_record(folder / "trial.json") == record.model_copy(update={"workdir": str(folder)})
