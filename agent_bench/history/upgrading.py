"""Brings a history to the schema of this program: made if empty, migrated if old, refused if newer or foreign."""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from agent_bench.errors import HistoryError
from agent_bench.history import sqlite_file
from agent_bench.history.tables import HEAD

_MIGRATIONS = Path(__file__).parent / "migrations"
ADVISORY_LOCK = 0x_A6E4_BE4C
"""Held in PostgreSQL by the program that migrates."""


def bring_up_to_date(engine: Engine, place: str) -> None:
    """Makes or migrates the schema where that is needed. ``place`` names the history in errors.

    Of several programs that open a new or an old history at once, one does it and the others wait. A database that is
    not ours, or newer, is not changed in any way. Raises ``HistoryError``.
    """
    with engine.execution_options(**sqlite_file.READING).begin() as connection:
        version = _version(connection, place)
    if version not in (None, HEAD):
        _refuse_newer(version, place)
    is_sqlite = engine.dialect.name == "sqlite"
    if is_sqlite:
        sqlite_file.use_wal(engine)
    if version == HEAD:
        return
    with engine.begin() as connection:
        if not is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
        # Another program may have done it meanwhile.
        version = _version(connection, place)
        if version == HEAD:
            return
        if version is not None and is_sqlite:
            sqlite_file.back_up(Path(engine.url.database or ""), version)
        migrate_to(connection, HEAD)


def _version(connection: Connection, place: str) -> str | None:
    """The migration that a database is at; None: it is empty. Raises ``HistoryError`` if it is not one of ours."""
    names = inspect(connection).get_table_names()
    if not names:
        return None
    if not {"alembic_version", "runs"} <= set(names):
        raise HistoryError(
            f"{place} is a database of something else (tables: {', '.join(sorted(names)[:5])})",
            "choose another one with --db",
        )
    versions = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
    if len(versions) != 1:
        raise HistoryError(
            f"{place} does not say which version it has",
            "choose another one with --db, or move it away and: agent-bench db rebuild",
        )
    return str(versions[0])


def migrate_to(connection: Connection, revision: str) -> None:
    """Runs the migrations up to a revision, in the connection's transaction."""
    # Imported here: nearly always there is nothing to migrate.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _refuse_newer(version: str | None, place: str) -> None:
    if version not in known_versions():
        raise HistoryError(
            f"{place} was written by a newer agent-bench (schema {version}, known here up to {HEAD})",
            "update agent-bench, or choose another history with --db",
        )


def known_versions() -> list[str]:
    """The revisions that this program has migrations for, the oldest first."""
    return sorted(path.name[1:5] for path in (_MIGRATIONS / "versions").glob("v[0-9][0-9][0-9][0-9]_*.py"))
