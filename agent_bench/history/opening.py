"""Opening a history: made if new, migrated if old, refused if newer or not one of ours, never overwritten."""

import re
from pathlib import Path

from sqlalchemy import URL, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from agent_bench.errors import HistoryError
from agent_bench.history import sqlite_file
from agent_bench.history.upgrading import bring_up_to_date

_CONNECT_SEC = 15


def open_engine(place: str) -> Engine:
    """An engine on an up-to-date history. ``place``: path of a SQLite file, or a URL. Raises ``HistoryError``."""
    url = _url(place)
    try:
        if url.get_backend_name() == "sqlite":
            sqlite_file.check_file(Path(url.database or ""))
            engine = create_engine(url)
            sqlite_file.tune(engine)
        else:
            # A connection that the server has dropped is replaced before it is used.
            engine = create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": _CONNECT_SEC})
    except ImportError as error:
        raise HistoryError(f"{shown_place(place)}: {error}", "pip install 'agent-bench[postgres]'") from error
    try:
        bring_up_to_date(engine, shown_place(place))
    except BaseException as error:
        engine.dispose()
        if isinstance(error, SQLAlchemyError):
            raise unusable(place, error) from error
        raise
    return engine


def _url(place: str) -> URL:
    if "://" not in place:
        return URL.create("sqlite", database=str(Path(place).absolute()))
    try:
        url = make_url(place)
    except (ArgumentError, ValueError) as error:
        raise HistoryError(f"{shown_place(place)}: not a database URL") from error
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername == "postgresql+psycopg":
        return url
    if url.drivername == "sqlite" and url.database and url.database != ":memory:" and not url.query:
        return url.set(database=str(Path(url.database).absolute()))
    raise HistoryError(
        f"{shown_place(place)}: a history cannot be kept there",
        "give the path of a SQLite file, or postgresql+psycopg://USER:PASSWORD@HOST/DATABASE",
    )


def shown_place(place: str) -> str:
    """The place without a password."""
    return re.sub(r"(://[^:/@]*):.*@", r"\1:***@", place)


def unusable(place: str, error: SQLAlchemyError) -> HistoryError:
    """The error for a database that answers with one."""
    cause = str(error.orig if isinstance(error, DBAPIError) and error.orig else error).strip() or type(error).__name__
    return HistoryError(
        f"the history {shown_place(place)} cannot be used: {cause.splitlines()[0]}",
        "nothing was overwritten; choose another one with --db, or move it away and: agent-bench db rebuild",
    )
