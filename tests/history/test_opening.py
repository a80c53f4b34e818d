"""What can be opened is, and what cannot be used is refused and left as it is."""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from history_data import record_of, run_of

from agent_bench.errors import HistoryError
from agent_bench.history.queries import Filter, leaderboard
from agent_bench.history.store import open_history


def test_a_new_history_is_made_and_set_up_for_several_programs(tmp_path: Path) -> None:
    with open_history(tmp_path / "bench.db") as history, history.transaction() as connection:

        def setting(name: str) -> object:
            return connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()

        assert setting("journal_mode") == "wal"
        assert setting("busy_timeout") >= 30_000  # type: ignore[operator]
        assert setting("foreign_keys") == 1
        # 2 is FULL: what is committed is on the disk.
        assert setting("synchronous") == 2


@pytest.mark.parametrize("name", ["a?mode=ro.db", "100%20 x#y.db", "ü ñ.db", "it's.db"])
def test_any_file_name_is_a_file_name(tmp_path: Path, name: str) -> None:
    with open_history(tmp_path / name) as history:
        history.add_run(run_of("r1"))
    assert (tmp_path / name).stat().st_size > 0
    with open_history(tmp_path / name) as history:
        assert history.run("r1").id == "r1"


def test_a_url_of_a_sqlite_file_and_an_empty_file_will_do(tmp_path: Path) -> None:
    place = tmp_path / "bench.db"
    place.touch()
    with open_history(f"sqlite:///{place}") as history:
        history.add_run(run_of("r1"))
    with open_history(place) as history:
        assert history.run("latest").id == "r1"


def _newer(place: Path) -> None:
    open_history(place).close()
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")


def _foreign(place: Path) -> None:
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY, framework TEXT)")


def _without_version(place: Path) -> None:
    open_history(place).close()
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("DELETE FROM alembic_version")


def _damage(place: Path, change: Callable[[bytes], bytes]) -> None:
    with open_history(place) as history:
        history.add_run(run_of("r1", attempts=50))
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    place.write_bytes(change(place.read_bytes()))


def _overwritten(place: Path) -> None:
    _damage(place, lambda content: content[:100] + b"\xff" * 3900 + content[4000:])


def _truncated(place: Path) -> None:
    _damage(place, lambda content: content[: len(content) // 2])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_newer, "newer agent-bench"),
        (_foreign, "a database of something else"),
        (_without_version, "does not say which version"),
        (_overwritten, "cannot be used"),
        (_truncated, "cannot be used"),
        (lambda place: place.write_bytes(b"not a database at all, but text"), "not a SQLite database"),
        (lambda place: place.write_bytes(os.urandom(9000)), "not a SQLite database"),
    ],
)
def test_what_cannot_be_used_is_refused_and_left_as_it_is(
    tmp_path: Path, make: Callable[[Path], None], words: str
) -> None:
    place = tmp_path / "bench.db"
    make(place)
    before = place.read_bytes()
    for _ in range(2):
        with pytest.raises(HistoryError, match=words) as caught, open_history(place):
            pass
        assert caught.value.hint
        assert str(place) in caught.value.message
    assert place.read_bytes() == before
    assert list(tmp_path.glob("*.bak*")) == []


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("folder", "is a folder"),
        ("pipe", "is not a regular file"),
        ("nowhere/bench.db", "there is no folder"),
        ("/proc/bench.db", "cannot be used: unable to open database file"),
        ("sqlite://", "a history cannot be kept there"),
        ("sqlite:///:memory:", "a history cannot be kept there"),
        ("mysql://user:secret@host/db", "a history cannot be kept there"),
        ("nonsense://user:sec@ret@host/db", "a history cannot be kept there"),
        ("://user:secret@host", "not a database URL"),
        ("postgresql+psycopg://user:secret@127.0.0.1:1/db", "cannot be used|postgres"),
    ],
)
def test_where_no_history_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    os.mkfifo("pipe")
    with pytest.raises(HistoryError, match=words) as caught:
        open_history(place)
    for secret in ("secret", "sec@ret", "ret@"):
        assert secret not in caught.value.message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_ours_to_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(HistoryError, match="unable to open"):
        open_history(tmp_path / "bench.db")


def test_a_disk_that_is_full_is_said_and_loses_nothing(tmp_path: Path) -> None:
    run = run_of("r1", attempts=400)
    with open_history(tmp_path / "bench.db") as history:
        history.add_run(run)
        records = [record_of(trial) for trial in run.trials]
        history.add_records(records[:10])
        with history.transaction() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 5}")
        with pytest.raises(HistoryError, match="full"):
            history.add_records(records[10:])
        assert list(history.records("r1")) == records[:10]


def test_one_that_only_reads_waits_for_no_writer(tmp_path: Path) -> None:
    run = run_of("r1", attempts=2)
    with open_history(tmp_path / "bench.db") as history:
        history.add_run(run)
        history.add_records([record_of(run.trials[0])])
        with closing(sqlite3.connect(tmp_path / "bench.db", isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            with open_history(tmp_path / "bench.db") as reader:
                assert leaderboard(reader, "agent", Filter())[0].counted == 1
                assert len(list(reader.records("r1"))) == 1
            assert time.monotonic() - began < 10
            writer.execute("ROLLBACK")


def test_a_reader_keeps_no_writer_waiting(tmp_path: Path) -> None:
    run = run_of("r1", attempts=2)
    with open_history(tmp_path / "bench.db") as history, open_history(tmp_path / "bench.db") as other:
        history.add_run(run)
        with history.reading() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM trials").fetchone()
            began = time.monotonic()
            other.add_records([record_of(run.trials[0])])
            assert time.monotonic() - began < 10
