"""Several programs on one history: nothing is lost, nobody is told that it is locked."""

import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agent_bench.history.queries import Filter, leaderboard, ledger
from agent_bench.history.store import open_history

Start = Callable[..., "subprocess.Popen[str]"]


def _go_all(processes: list["subprocess.Popen[str]"]) -> None:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        _, complaint = process.communicate(timeout=100)
        assert process.returncode == 0, complaint
        assert complaint == ""


def test_four_that_open_a_new_history_at_once_and_write_200_records_each_lose_none(
    place: str, start_writer: Start
) -> None:
    _go_all([start_writer(place, f"run{number}", 200, 1) for number in range(4)])
    with open_history(place) as history:
        for number in range(4):
            records = history.records(f"run{number}")
            assert [record.key.attempt for record in records] == list(range(1, 201))
        assert [row.counted for row in leaderboard(history, "agent", Filter())] == [200] * 4
        assert ledger(history, Filter()).scored == 800


def test_opening_a_new_history_at_once_goes_well_every_time(tmp_path: Path, start_writer: Start) -> None:
    writers = []
    for number in range(6):
        writers += [start_writer(str(tmp_path / f"{number // 2}.db"), f"run{number}", 1, 1)]
    _go_all(writers)
    for number in range(3):
        with open_history(tmp_path / f"{number}.db") as history:
            assert ledger(history, Filter()).scored == 2


@pytest.mark.parametrize("wait_for", [1, 4])
def test_a_writer_that_is_killed_leaves_whole_batches_and_a_sound_database(
    tmp_path: Path, start_writer: Start, wait_for: int
) -> None:
    place = tmp_path / "bench.db"
    process = start_writer(str(place), "run", 20_000, 50)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    for _ in range(wait_for):
        told = int(process.stdout.readline())
    time.sleep(0.01)
    process.kill()
    process.wait()
    rest = process.stdout.read().split()
    told = int(rest[-1]) if rest else told
    with open_history(place) as history:
        count = sum(1 for _ in history.records("run"))
        sums = ledger(history, Filter())
    # What it told was committed; what it was at is there whole or not at all.
    assert told <= count < 20_000
    assert count % 50 == 0
    assert (sums.planned, sums.scored, sums.not_run) == (20_000, count, 20_000 - count)
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        orphans = "SELECT count(*) FROM trials WHERE trial_id IS NOT NULL AND id NOT IN (SELECT trial FROM records)"
        assert connection.execute(orphans).fetchone() == (0,)
