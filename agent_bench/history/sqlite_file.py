"""What a history in a SQLite file needs besides SQL: checks before it is touched, durable settings, a backup."""

import sqlite3
import time
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from agent_bench.errors import HistoryError

BUSY_MILLISECONDS = 60_000
READING = {"agent_bench_reading": True}
"""Execution options of a transaction that only reads."""


def check_file(path: Path) -> None:
    """Raises ``HistoryError`` for what cannot be, or become, a SQLite file; touches nothing."""
    if path.is_dir():
        raise HistoryError(f"{path} is a folder, not a history", "choose a file with --db")
    if not path.parent.is_dir():
        raise HistoryError(f"{path}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise HistoryError(f"{path} is not a regular file", "choose another one with --db")
    # An empty file is what is left where making a history was cut off.
    if path.is_file() and path.stat().st_size and _first_bytes(path) != b"SQLite format 3\0":
        raise HistoryError(
            f"{path} is not a SQLite database, or a damaged one; it was left as it is",
            "choose another one with --db, or move it away and: agent-bench db rebuild",
        )


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as reader:
            return reader.read(16)
    except OSError as error:
        raise HistoryError(f"{path} cannot be read: {error.strerror}") from error


def tune(engine: Engine) -> None:
    """Sets every connection of an engine up for several programs at once, none of which may lose anything."""

    @event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, _: Any) -> None:
        # We begin transactions ourselves (below), not the driver.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
        # With a write-ahead log NORMAL would keep the database whole too, but a power cut could take the last rows,
        # whose trials would be missing until `db rebuild`. One writer batches, so a sync per commit costs little.
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def began(connection: Connection) -> None:
        # One that reads first and then writes would fail at once if another wrote meanwhile: it takes its place in
        # the queue of writers from the start. One that only reads waits for nobody.
        is_reading = connection.get_execution_options().get("agent_bench_reading", False)
        connection.exec_driver_sql("BEGIN" if is_reading else "BEGIN IMMEDIATE")


def use_wal(engine: Engine) -> None:
    """Switches a database to write-ahead logging, for good; the switch does not wait for locks by itself."""
    deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
    # Not a transaction of the engine's: inside of one there is no switching.
    with closing(engine.raw_connection()) as connection:
        cursor = connection.cursor()
        while cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            try:
                cursor.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)


def back_up(path: Path, version: str) -> Path:
    """Makes a copy of the database as it was, beside it: ``bench.db.bak-<version>-<time>``. Returns its path."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    target = path.with_name(f"{path.name}.bak-{version}-{stamp}")
    unfinished = target.with_name(f"{target.name}.part")
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as copy:
            source.backup(copy)
        unfinished.rename(target)
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            unfinished.unlink()
        raise HistoryError(f"{path} could not be backed up before its migration: {error}", "it is as it was") from error
    return target
