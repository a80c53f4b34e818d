"""The history on real SQLite files: nothing lost, nothing overwritten, everybody served."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from history_data import record_of, run_of
from sqlalchemy import create_engine

from agent_bench.errors import HistoryError, UsageError
from agent_bench.history import opening, queries
from agent_bench.history.store import open_history
from agent_bench.history.tables import HEAD
from agent_bench.model import Outcome

WRITER = """
import sys
from history_data import record_of, run_of
from agent_bench.history.store import open_history

place, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open_history(place) as history:
    run = run_of(name, attempts=count)
    history.add_run(run)
    for trial in run.trials:
        history.add_records([record_of(trial)])
        print(trial.key.attempt, flush=True)
"""


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    run = run_of("r1", attempts=3, agents=("a", "b"))
    with open_history(tmp_path / "bench.db") as history:
        history.add_run(run)
        history.add_run(run)
        records = [record_of(trial) for trial in run.trials]
        history.add_records(records)
        history.add_records(records)
        assert history.run("r1") == run
        assert history.run("latest") == run
        assert list(history.records("r1")) == records
        assert history.find_trial(records[0].id[:6]) == records[0]
        with pytest.raises(UsageError, match="no trial 'zzz'"):
            history.find_trial("zzz")
        with pytest.raises(UsageError, match="several trials"):
            history.find_trial("0")


def test_a_fault_is_replaced_by_a_later_record_and_a_counted_one_never(tmp_path: Path) -> None:
    run = run_of("r1")
    trial = run.trials[0]
    with open_history(tmp_path / "bench.db") as history:
        history.add_run(run)
        for outcome in (Outcome.PROVIDER_FAILED, Outcome.INTERRUPTED, Outcome.COMPLETED, Outcome.TIMED_OUT):
            history.add_records([record_of(trial, outcome=outcome)])
        assert [record.outcome for record in history.records("r1")] == [Outcome.COMPLETED]


def test_a_record_without_a_plan_is_refused(tmp_path: Path) -> None:
    with open_history(tmp_path / "bench.db") as history, pytest.raises(HistoryError, match="no plan"):
        history.add_records([record_of(run_of("r1").trials[0])])


def test_four_processes_write_into_one_new_history(tmp_path: Path) -> None:
    place = tmp_path / "bench.db"
    argv = [sys.executable, "-c", WRITER, str(place)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    writers = [
        subprocess.Popen([*argv, f"r{n}", "100"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for n in range(4)
    ]
    for writer in writers:
        _, complaint = writer.communicate(timeout=100)
        assert writer.returncode == 0, complaint
        assert "locked" not in complaint
    with open_history(place) as history:
        assert queries.ledger(history, queries.Filter()).scored == 400


def test_a_writer_killed_in_the_middle_leaves_all_that_it_confirmed(tmp_path: Path) -> None:
    place = tmp_path / "bench.db"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(place), "r1", "5000"], env=env, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    confirmed = [writer.stdout.readline() for _ in range(40)]
    writer.send_signal(signal.SIGKILL)
    rest = writer.communicate()[0].splitlines()
    with open_history(place) as history:
        written = {record.key.attempt for record in history.records("r1")}
    assert {int(line) for line in (*confirmed, *rest) if line.strip()} <= written
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)


def test_an_older_database_is_migrated_with_a_backup_first(tmp_path: Path) -> None:
    place = tmp_path / "bench.db"
    _make_at(place, "0001")
    with open_history(place) as history:
        run = run_of("r1")
        history.add_run(run)
        history.add_records([record_of(trial) for trial in run.trials])
    (backup,) = tmp_path.glob("bench.db.bak-0001-*")
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("select version_num from alembic_version").fetchone() == (HEAD,)
        assert connection.execute("select count(*) from framework_runs").fetchone() == (1,)
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("select version_num from alembic_version").fetchone() == ("0001",)


def _make_at(place: Path, version: str) -> None:
    """A database as an older release left it: by the real migrations, up to that one."""
    engine = create_engine(f"sqlite:///{place}")
    config = Config()
    config.set_main_option("script_location", str(Path(opening.__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)
    engine.dispose()


def test_the_newest_migration_is_the_one_that_the_code_expects() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(opening.__file__).parent / "migrations"))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_the_tables_in_code_are_those_that_the_migrations_make(tmp_path: Path) -> None:
    from agent_bench.history.tables import RunRow, SignalRow, TrialRow

    with open_history(tmp_path / "bench.db"):
        pass
    with closing(sqlite3.connect(tmp_path / "bench.db")) as connection:
        for row in (RunRow, TrialRow, SignalRow):
            table = row.__table__  # type: ignore[attr-defined]
            made = {line[1] for line in connection.execute(f"pragma table_info({table.name})")}
            assert made == {column.name for column in table.columns}


def _newer(place: Path) -> None:
    with open_history(place):
        pass
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("update alembic_version set version_num = '9999'")


def _foreign(place: Path) -> None:
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("create table runs (id integer primary key, framework text)")


def _damaged(place: Path) -> None:
    with open_history(place):
        pass
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    content = bytearray(place.read_bytes())
    content[100:4000] = b"\xff" * 3900
    place.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_newer, "newer agent-bench"),
        (_foreign, "a database of something else"),
        (_damaged, "cannot be used"),
        (lambda place: place.write_bytes(b"not a database at all, but text"), "not a SQLite database"),
        (lambda place: place.mkdir(), "is a folder"),
    ],
)
def test_what_cannot_be_used_is_refused_and_left_as_it_is(
    tmp_path: Path, make: Callable[[Path], None], words: str
) -> None:
    place = tmp_path / "bench.db"
    make(place)
    before = place.read_bytes() if place.is_file() else None
    with pytest.raises(HistoryError, match=words), open_history(place):
        pass
    assert (place.read_bytes() if place.is_file() else None) == before


def test_a_reader_keeps_no_writer_waiting(tmp_path: Path) -> None:
    run = run_of("r1", attempts=2)
    with open_history(tmp_path / "bench.db") as history, open_history(tmp_path / "bench.db") as other:
        history.add_run(run)
        with history.reading() as connection:
            connection.exec_driver_sql("select count(*) from trials").fetchone()
            began = time.monotonic()
            other.add_records([record_of(run.trials[0])])
            assert time.monotonic() - began < 5
        assert len(list(history.records("r1"))) == 1


def test_a_url_that_is_none_says_so(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="nonsense"):
        open_history("nonsense://user:secret@host/db")
    with pytest.raises(HistoryError) as caught:
        open_history("nonsense://user:secret@host/db")
    assert "secret" not in caught.value.message
