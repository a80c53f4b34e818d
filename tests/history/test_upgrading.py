"""Migrations: an older history is brought up to date, with a backup first, once, whole or not at all."""

import re
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from history_data import run_of
from sqlalchemy import Connection, create_engine, inspect, text
from sqlmodel import SQLModel

from agent_bench.errors import HistoryError
from agent_bench.history import sqlite_file, upgrading
from agent_bench.history.queries import Filter, ledger
from agent_bench.history.store import open_history
from agent_bench.history.tables import HEAD


@contextmanager
def _begun(place: str) -> Iterator[Connection]:
    is_url = "://" in place
    engine = create_engine(place if is_url else f"sqlite:///{place}")
    if not is_url:
        sqlite_file.tune(engine)
        sqlite_file.use_wal(engine)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def _make_first_version(place: str) -> None:
    """A database as the first schema left it, with a planned trial in it."""
    with _begun(place) as connection:
        upgrading.migrate_to(connection, "0001")
        connection.execute(
            text(
                "INSERT INTO runs (id, started_at, harness_version, dry_run, run_json)"
                " VALUES ('old', '2026-12-01 12:00:00', '0.1.0', false, :plan)"
            ),
            {"plan": run_of("old").model_dump_json()},
        )
        connection.exec_driver_sql(
            "INSERT INTO trials (run_id, task_id, agent, model, attempt, task_digest, settings_digest, dry_run, reason,"
            " sandbox, usage_source, workdir) VALUES ('old', 't', 'a', '', 1, 'd', 's', false, '', '', 'none', '')"
        )


def _version(place: Path) -> str:
    with closing(sqlite3.connect(place)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def test_an_older_history_is_migrated_with_a_backup_first(tmp_path: Path) -> None:
    place = tmp_path / "bench.db"
    _make_first_version(str(place))
    for _ in range(2):
        with open_history(place) as history:
            assert history.run("old").id == "old"
            assert ledger(history, Filter()).planned == 1
    assert _version(place) == HEAD
    (backup,) = tmp_path.glob("bench.db.bak-*")
    assert re.fullmatch(r"bench\.db\.bak-0001-\d{8}T\d{6}\.\d+Z", backup.name)
    assert _version(backup) == "0001"
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("SELECT id FROM runs").fetchall() == [("old",)]
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_an_older_history_in_postgresql_is_migrated(postgres_place: str) -> None:
    _make_first_version(postgres_place)
    with open_history(postgres_place) as history:
        assert ledger(history, Filter()).planned == 1
        with history.reading() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM framework_runs").scalar_one() == 0


def test_a_migration_that_fails_leaves_the_old_version_whole(tmp_path: Path) -> None:
    place = tmp_path / "bench.db"
    _make_first_version(str(place))
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE VIEW framework_runs AS SELECT 1")
        connection.commit()
    with pytest.raises(HistoryError, match="framework_runs already exists"):
        open_history(place)
    assert _version(place) == "0001"
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("DROP VIEW framework_runs")
        connection.commit()
    with open_history(place) as history:
        assert history.run("old").id == "old"
    assert len(list(tmp_path.glob("bench.db.bak-0001-*"))) == 2


def test_without_a_backup_there_is_no_migration(tmp_path: Path) -> None:
    # A name so long that the longer one of the backup is none.
    place = tmp_path / f"{'x' * 240}.db"
    _make_first_version(str(place))
    with pytest.raises(HistoryError, match="could not be backed up"):
        open_history(place)
    assert _version(place) == "0001"


Start = Callable[[str, str, int, int], "subprocess.Popen[str]"]


def _go(writers: list["subprocess.Popen[str]"]) -> None:
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()


def _finish(writers: list["subprocess.Popen[str]"]) -> None:
    for writer in writers:
        assert writer.communicate(timeout=60)[1] == ""
        assert writer.returncode == 0


def test_of_several_that_find_an_old_history_at_once_one_migrates(tmp_path: Path, start_writer: Start) -> None:
    place = tmp_path / "bench.db"
    _make_first_version(str(place))
    writers = [start_writer(str(place), f"run{number}", 3, 1) for number in range(3)]
    with closing(sqlite3.connect(place, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        _go(writers)
        # Long enough for all of them to see the old version, and to wait for their turn.
        time.sleep(1.5)
        assert _version(place) == "0001"
        holder.execute("ROLLBACK")
    _finish(writers)
    with open_history(place) as history:
        assert ledger(history, Filter()).planned == 10
    assert [path.name[:17] for path in tmp_path.glob("bench.db.bak-*")] == ["bench.db.bak-0001"]


def test_of_several_that_find_an_empty_postgresql_database_one_makes_the_tables(
    postgres_place: str, start_writer: Start
) -> None:
    writers = [start_writer(postgres_place, f"run{number}", 3, 1) for number in range(3)]
    engine = create_engine(postgres_place, isolation_level="AUTOCOMMIT")
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with engine.connect() as holder:
        holder.execute(text("SELECT pg_advisory_lock(:key)"), {"key": upgrading.ADVISORY_LOCK})
        _go(writers)
        deadline = time.monotonic() + 30
        while holder.exec_driver_sql(waiting).scalar_one() < 3:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert inspect(holder).get_table_names() == []
        holder.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": upgrading.ADVISORY_LOCK})
    engine.dispose()
    _finish(writers)
    with open_history(postgres_place) as history:
        assert ledger(history, Filter()).scored == 9


def test_a_newer_history_in_postgresql_is_refused(postgres_place: str) -> None:
    with open_history(postgres_place) as history, history.transaction() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(HistoryError, match=f"newer agent-bench .schema 9999, known here up to {HEAD}"):
        open_history(postgres_place)


def test_the_versions_are_those_of_the_files() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(upgrading.__file__).parent / "migrations"))
    script = ScriptDirectory.from_config(config)
    assert script.get_heads() == [HEAD]
    revisions = sorted(revision.revision for revision in script.walk_revisions())
    assert upgrading.known_versions() == revisions
    assert revisions[-1] == HEAD


def test_the_tables_in_code_are_those_that_the_migrations_make(place: str) -> None:
    from alembic.autogenerate import compare_metadata

    with open_history(place) as history, history.transaction() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []
