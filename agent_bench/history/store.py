"""The history: an index of runs and trials in a database. The files under ``runs/`` are the record."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ValidationError
from sqlalchemy import ColumnElement, Connection, Engine, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from agent_bench.errors import HistoryError, UsageError
from agent_bench.history import columns
from agent_bench.history.opening import open_engine, shown_place, unusable
from agent_bench.history.sqlite_file import READING
from agent_bench.history.tables import RecordRow, RunRow, SignalRow, TrialRow
from agent_bench.model import Outcome, Run, TrialKey, TrialRecord

_TRIALS = TrialRow.__table__  # type: ignore[attr-defined]
_RUNS = RunRow.__table__  # type: ignore[attr-defined]
_RECORDS = RecordRow.__table__  # type: ignore[attr-defined]
_SIGNALS = SignalRow.__table__  # type: ignore[attr-defined]

_BATCH = 100

_Stored = TypeVar("_Stored", bound=BaseModel)


class History:
    """An open history. All methods block; they may be called from any thread, several at a time.

    Each raises ``HistoryError`` if the database cannot do what is asked of it.
    """

    def __init__(self, place: str) -> None:
        """``place``: path of a SQLite file, or a ``postgresql+psycopg://`` URL. Raises ``HistoryError``."""
        self.place = place
        self._engine = open_engine(place)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction that may write, committed at its end; keep it short, others wait for it."""
        with self._begun(self._engine) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads, and in SQLite waits for no writer."""
        with self._begun(self._engine.execution_options(**READING)) as connection:
            yield connection

    @contextmanager
    def _begun(self, engine: Engine) -> Iterator[Connection]:
        try:
            with engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise unusable(self.place, error) from error

    def add_run(self, run: Run) -> None:
        """Enters a run with its planned trials; a run that is there already stays as it is."""
        with self.transaction() as connection:
            if _insert_new(connection, columns.of_run(run)) and run.trials:
                connection.execute(insert(_TRIALS), [columns.of_plan(trial, run) for trial in run.trials])

    def add_records(self, records: Sequence[TrialRecord]) -> None:
        """Enters records, all or none. Their run must be known; a record that is there already stays as it is.

        A record of a trial that counts is never replaced. One that says a fault or an interruption is: by one that
        counts, or by a later one. So what stands does not depend on the order in which records come.
        """
        if not records:
            return
        with self.transaction() as connection:
            for record in records:
                self._enter(connection, record)

    def _enter(self, connection: Connection, record: TrialRecord) -> None:
        wanted = select(_TRIALS.c.id, _TRIALS.c.outcome, _TRIALS.c.trial_id, _TRIALS.c.ts).where(*_is(record.key))
        # Locks the row in PostgreSQL, where another machine may have a record of the same trial.
        found = connection.execute(wanted.with_for_update()).first()
        if found is None:
            raise HistoryError(
                f"trial {record.key} belongs to no plan in {shown_place(self.place)} (run {record.key.run})",
                "enter the plans and records under runs/: agent-bench db rebuild",
            )
        if found.trial_id is not None and not _replaces(record, found.trial_id, Outcome(found.outcome), found.ts):
            return
        connection.execute(update(_TRIALS).where(_TRIALS.c.id == found.id).values(**columns.of_record(record)))
        for table in (_SIGNALS, _RECORDS):
            connection.execute(delete(table).where(table.c.trial == found.id))
        connection.execute(insert(_RECORDS).values(trial=found.id, record_json=record.model_dump_json()))
        if record.signals:
            connection.execute(insert(_SIGNALS), columns.of_signals(record, found.id))

    def run(self, run_id: str) -> Run:
        """The run with this id, or the only one that begins so, or the newest for ``latest``. Raises ``UsageError``."""
        wanted = select(_RUNS.c.id, _RUNS.c.run_json).order_by(_RUNS.c.started_at.desc(), _RUNS.c.id.desc()).limit(2)
        if run_id != "latest":
            wanted = wanted.where(_RUNS.c.id.startswith(run_id, autoescape=True))
        with self.reading() as connection:
            found = connection.execute(wanted).all()
        if not found:
            raise UsageError(f"no run '{run_id}' in {shown_place(self.place)}", "see: agent-bench history")
        if len(found) > 1 and run_id not in ("latest", found[0].id, found[1].id):
            raise UsageError(f"several runs begin with '{run_id}'", "give more of its id")
        chosen = found[1] if len(found) > 1 and found[1].id == run_id else found[0]
        return self._read(Run, chosen.run_json, f"run {chosen.id}")

    def records(self, run_id: str) -> Iterator[TrialRecord]:
        """The records of a run, in the order of its plan."""
        for trial_id, stored in self._stored_records(run_id):
            yield self._read(TrialRecord, stored, f"trial {trial_id}")

    def records_json(self, run_id: str) -> Iterator[str]:
        """The same, as JSON."""
        return (stored for _, stored in self._stored_records(run_id))

    def _stored_records(self, run_id: str) -> Iterator[tuple[str, str]]:
        """Ids and records, some at a time: a run can have more of them than should be in memory at once."""
        last = 0
        while True:
            wanted = (
                select(_TRIALS.c.id, _TRIALS.c.trial_id, _RECORDS.c.record_json)
                .join(_RECORDS, _RECORDS.c.trial == _TRIALS.c.id)
                .where(_TRIALS.c.run_id == run_id, _TRIALS.c.id > last)
                .order_by(_TRIALS.c.id)
                .limit(_BATCH)
            )
            with self.reading() as connection:
                rows = connection.execute(wanted).all()
            if not rows:
                return
            yield from ((row.trial_id, row.record_json) for row in rows)
            last = rows[-1].id

    def find_trial(self, trial_id: str) -> TrialRecord:
        """The record with this id, or the only one that begins so. Raises ``UsageError``."""
        both = select(_TRIALS.c.trial_id, _RECORDS.c.record_json).join(_RECORDS, _RECORDS.c.trial == _TRIALS.c.id)
        with self.reading() as connection:
            found = connection.execute(both.where(_TRIALS.c.trial_id == trial_id)).all()
            if not found and trial_id:
                begins = _TRIALS.c.trial_id.startswith(trial_id, autoescape=True)
                found = connection.execute(both.where(begins).limit(2)).all()
        if not found:
            raise UsageError(f"no trial '{trial_id}' in {shown_place(self.place)}", "see: agent-bench history")
        if len(found) > 1:
            raise UsageError(f"several trials begin with '{trial_id}'", "give more of its id")
        return self._read(TrialRecord, found[0].record_json, f"trial {found[0].trial_id}")

    def _read(self, kind: type[_Stored], stored: str, what: str) -> _Stored:
        try:
            return kind.model_validate_json(stored)
        except ValidationError as error:
            raise HistoryError(
                f"{what} in {shown_place(self.place)} cannot be read: {error.errors()[0]['msg']}",
                "it may be of another version of agent-bench; its files are under runs/",
            ) from error


def open_history(place: str | Path) -> History:
    """Opens a history, making it if it is new. Raises ``HistoryError``."""
    return History(str(place))


def _insert_new(connection: Connection, row: Mapping[str, Any]) -> bool:
    """Inserts a row into runs unless it is there already, perhaps by another program just now; whether it did."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    wanted = dialect.insert(_RUNS).values(**row).on_conflict_do_nothing()
    # Without the option the number may be unknown.
    return connection.execute(wanted, execution_options={"preserve_rowcount": True}).rowcount == 1


def _is(key: TrialKey) -> list[ColumnElement[bool]]:
    return [_TRIALS.c[name] == value for name, value in columns.of_key(key).items()]


def _replaces(new: TrialRecord, old_id: str, old: Outcome, old_end: Any) -> bool:
    """Whether a record takes the place of one that is there."""
    if new.id == old_id or old.is_counted:
        return False
    return new.outcome.is_counted or columns.utc(new.ended_at) > columns.utc(old_end)
