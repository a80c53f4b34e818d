"""Opening a history: made if new, migrated if old, refused if newer or not one of ours, never overwritten."""

import re
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from agent_bench.errors import HistoryError
from agent_bench.history.tables import HEAD

BUSY_MILLISECONDS = 60_000
_MIGRATIONS = Path(__file__).parent / "migrations"
READS_ONLY = "reads_only"
"""Execution option of connections that write nothing."""
_LEFT = "it was left as it is; choose another one with --db, or make it again: agent-bench db rebuild"
_ADVISORY_LOCK = 0x_A6E4_BE4C


def open_engine(place: str) -> Engine:
    """An engine on an up-to-date history. ``place``: path of a SQLite file, or a URL. Raises ``HistoryError``."""
    is_url = "://" in place
    if not is_url:
        _check_file(Path(place))
    url = place if is_url else f"sqlite:///{Path(place).absolute()}"
    try:
        engine = create_engine(url)
        if engine.dialect.name == "sqlite":
            _tune_sqlite(engine)
        _bring_up_to_date(engine, shown_place(place))
    except (ArgumentError, NoSuchModuleError) as error:
        raise HistoryError(f"{shown_place(place)}: not a database URL: {error}") from error
    except ImportError as error:
        raise HistoryError(f"{shown_place(place)}: {error}", "pip install 'agent-bench[postgres]'") from error
    except DBAPIError as error:
        raise unusable(place, error) from error
    return engine


def shown_place(place: str) -> str:
    """The place without a password."""
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", place)


def unusable(place: str, error: DBAPIError) -> HistoryError:
    """The error for a database that answers with one."""
    return HistoryError(f"the history {shown_place(place)} cannot be used: {error.orig}", _LEFT)


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise HistoryError(f"{path} is a folder, not a history", "choose a file with --db")
    if not path.absolute().parent.is_dir():
        raise HistoryError(f"{path}: there is no folder {path.absolute().parent}")
    if path.is_file() and path.stat().st_size and _first_bytes(path) != b"SQLite format 3\0":
        raise HistoryError(
            f"{path} is not a SQLite database, or a damaged one; it was left as it is",
            "choose another one with --db, or move it away and: agent-bench db rebuild",
        )
    if path.is_file() and path.stat().st_size:
        _check_ours(path)


def _check_ours(path: Path) -> None:
    """Looks into a database without touching it: one of another program must not even be switched to our mode."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=60)) as connection:
            names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError as error:
        raise HistoryError(f"the history {path} cannot be used: {error}", _LEFT) from error
    _check_tables(names, str(path))


def _check_tables(names: set[str], place: str) -> None:
    if names and "alembic_version" not in names:
        tables = ", ".join(sorted(names)[:5])
        raise HistoryError(
            f"{place} is a database of something else (tables: {tables})", "choose another one with --db"
        )


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as reader:
            return reader.read(16)
    except OSError as error:
        raise HistoryError(f"{path} cannot be read: {error.strerror}") from error


def _tune_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, _: Any) -> None:
        # We begin transactions ourselves (below), not the driver.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
        _use_wal(connection)
        # The files of the trials are synced one by one and the database can be made again from them; NORMAL keeps
        # it consistent whatever happens, and loses at most the last moments to a power cut.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def began(connection: Connection) -> None:
        # A transaction that reads first and then writes would fail at once if another wrote meanwhile.
        reads_only = connection.get_execution_options().get(READS_ONLY, False)
        connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switches a database to write-ahead logging; this does not wait for locks by itself."""
    deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _bring_up_to_date(engine: Engine, place: str) -> None:
    """Migrates under a lock, so that of several programs that open a new history one makes it."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        version = _version(connection, place)
        if version == HEAD:
            return
        if version is not None and engine.dialect.name == "sqlite":
            _back_up(Path(engine.url.database or ""), version)
        _migrate(connection, version, place)


def _version(connection: Connection, place: str) -> str | None:
    """The migration that a database is at; None: it is empty."""
    names = set(inspect(connection).get_table_names())
    _check_tables(names, place)
    if not names:
        return None
    return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one())


def _migrate(connection: Connection, version: str | None, place: str) -> None:
    # Imported here: nearly always there is nothing to migrate.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if version is not None and version not in known:
        raise HistoryError(
            f"{place} was written by a newer agent-bench (schema {version}, known here up to {HEAD})",
            "update agent-bench, or choose another history with --db",
        )
    command.upgrade(config, HEAD)


def _back_up(path: Path, version: str) -> None:
    """A copy of the database as it was, beside it."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    with (
        closing(sqlite3.connect(path)) as source,
        closing(sqlite3.connect(path.with_name(f"{path.name}.bak-{version}-{stamp}"))) as target,
    ):
        source.backup(target)
