"""The history: an index of runs and trials in a database. The files under ``runs/`` are the record."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update
from sqlalchemy.exc import DBAPIError

from agent_bench.errors import HistoryError, UsageError
from agent_bench.history.opening import READS_ONLY, open_engine, unusable
from agent_bench.history.tables import RunRow, SignalRow, TrialRow
from agent_bench.model import Outcome, Run, Trial, TrialKey, TrialRecord

_TRIALS = TrialRow.__table__  # type: ignore[attr-defined]
_RUNS = RunRow.__table__  # type: ignore[attr-defined]
_SIGNALS = SignalRow.__table__  # type: ignore[attr-defined]

_BATCH = 100


class History:
    """An open history. All methods block; they may be called from any thread, several at a time."""

    def __init__(self, place: str) -> None:
        """``place``: path of a SQLite file, or a ``postgresql+psycopg://`` URL. Raises ``HistoryError``."""
        self.place = place
        self._engine = open_engine(place)
        self._reader = self._engine.execution_options(**{READS_ONLY: True})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction that may write, committed at its end. Raises ``HistoryError`` for the database's errors."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            raise unusable(self.place, error) from error

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads: it keeps no writer waiting. Raises ``HistoryError``."""
        try:
            with self._reader.begin() as connection:
                yield connection
        except DBAPIError as error:
            raise unusable(self.place, error) from error

    def add_run(self, run: Run) -> None:
        """Enters a run with its planned trials; a run that is there already stays as it is."""
        with self.transaction() as connection:
            if connection.execute(select(_RUNS.c.id).where(_RUNS.c.id == run.id)).first():
                return
            row = run.model_dump(include={"id", "started_at", "harness_version", "dry_run"})
            connection.execute(insert(_RUNS).values(**row, run_json=run.model_dump_json()))
            if run.trials:
                connection.execute(insert(_TRIALS), [_planned(trial, run) for trial in run.trials])

    def add_records(self, records: Sequence[TrialRecord]) -> None:
        """Enters records, all or none. Their run must be known.

        A record of a counted trial is never replaced; one that says a fault or an interruption is, by a later one
        of the same trial.
        """
        if not records:
            return
        with self.transaction() as connection:
            for record in records:
                _enter(connection, record)

    def run(self, run_id: str) -> Run:
        """The run with this id, or the newest for ``latest``. Raises ``UsageError``."""
        wanted = select(_RUNS.c.run_json).order_by(_RUNS.c.started_at.desc(), _RUNS.c.id.desc()).limit(2)
        if run_id != "latest":
            wanted = wanted.where(_RUNS.c.id.startswith(run_id, autoescape=True))
        with self.reading() as connection:
            found = connection.execute(wanted).scalars().all()
        if not found:
            raise UsageError(f"no run '{run_id}' in {self.place}", "see: agent-bench history")
        if len(found) > 1 and run_id != "latest":
            raise UsageError(f"several runs begin with '{run_id}'", "give more of its id")
        return Run.model_validate_json(found[0])

    def records(self, run_id: str) -> Iterator[TrialRecord]:
        """The records of a run, in the order of its plan."""
        return map(TrialRecord.model_validate_json, self.records_json(run_id))

    def records_json(self, run_id: str) -> Iterator[str]:
        """The same as JSON, some at a time: a run can have more of them than should be in memory at once."""
        last = 0
        while True:
            wanted = (
                select(_TRIALS.c.id, _TRIALS.c.record_json)
                .where(_TRIALS.c.run_id == run_id, _TRIALS.c.record_json.is_not(None), _TRIALS.c.id > last)
                .order_by(_TRIALS.c.id)
                .limit(_BATCH)
            )
            with self.reading() as connection:
                rows = connection.execute(wanted).all()
            if not rows:
                return
            yield from (row.record_json for row in rows)
            last = rows[-1].id

    def find_trial(self, trial_id: str) -> TrialRecord:
        """The record with this id, or the only one that begins so. Raises ``UsageError``."""
        wanted = select(_TRIALS.c.record_json).where(_TRIALS.c.trial_id.startswith(trial_id, autoescape=True)).limit(3)
        with self.reading() as connection:
            found = connection.execute(wanted).scalars().all()
        if not found:
            raise UsageError(f"no trial '{trial_id}' in {self.place}", "see: agent-bench history")
        if len(found) > 1:
            raise UsageError(f"several trials begin with '{trial_id}'", "give more of its id")
        return TrialRecord.model_validate_json(found[0])


def open_history(place: str | Path) -> History:
    """Opens a history, making it if it is new. Raises ``HistoryError``."""
    return History(str(place))


def _planned(trial: Trial, run: Run) -> dict[str, Any]:
    return {
        **_key(trial.key),
        "task_digest": trial.task_digest,
        "settings_digest": trial.settings_digest,
        "agent_version": trial.agent.version,
        "dry_run": run.dry_run,
        "outcome": trial.skip.value if trial.skip else None,
        "reason": trial.skip_reason,
        "sandbox": "",
        "usage_source": "none",
        "workdir": "",
    }


def _key(key: TrialKey) -> dict[str, Any]:
    return {
        "run_id": key.run,
        "task_id": key.task,
        "agent": key.agent,
        "model": key.model or "",
        "attempt": key.attempt,
    }


def _is(key: TrialKey) -> list[ColumnElement[bool]]:
    return [_TRIALS.c[name] == value for name, value in _key(key).items()]


def _enter(connection: Connection, record: TrialRecord) -> None:
    found: Row[Any] | None = connection.execute(
        select(_TRIALS.c.id, _TRIALS.c.outcome, _TRIALS.c.trial_id).where(*_is(record.key))
    ).first()
    if found is None:
        raise HistoryError(f"trial {record.key} belongs to no plan of the history (run {record.key.run})")
    if found.trial_id == record.id or (found.outcome and Outcome(found.outcome).is_counted):
        return
    connection.execute(update(_TRIALS).where(_TRIALS.c.id == found.id).values(**_columns(record)))
    connection.execute(delete(_SIGNALS).where(_SIGNALS.c.trial == found.id))
    rows = [
        {"trial": found.id, "name": signal.name, "value": signal.value, "reason": signal.reason}
        for signal in record.signals
    ]
    if rows:
        connection.execute(insert(_SIGNALS), rows)


def _columns(record: TrialRecord) -> dict[str, Any]:
    usage = record.usage
    return {
        "trial_id": record.id,
        "outcome": record.outcome.value,
        "reason": record.reason,
        "sandbox": record.sandbox,
        "agent_version": record.agent_version,
        "ts": record.ended_at,
        "wall_sec": record.wall_sec,
        "model_used": record.model,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "usage_source": usage.source,
        "cost_usd": record.cost_usd,
        "files_produced": len(record.produced.files),
        "overall": record.score.value,
        "resolved": record.score.resolved,
        "score_json": json.dumps(_score(record)),
        "workdir": record.workdir,
        "record_json": record.model_dump_json(),
    }


def _score(record: TrialRecord) -> dict[str, Any]:
    """The score with the names that seed 002 gives its fields."""

    def value(name: str) -> float | None:
        signal = record.signal(name)
        return signal.value if signal else None

    def passed(name: str) -> bool | None:
        found = value(name)
        return None if found is None else found >= 1

    return {
        "files_ok": passed("files"),
        "imports_ok": passed("imports"),
        "ruff_ok": passed("ruff"),
        "pytest_score": value("pytest"),
        "judge_score": value("judge"),
        "overall": record.score.value,
    }
