"""Questions to the history. Every view asks here, so that all of them print the same numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Row, select

from agent_bench.history.store import History
from agent_bench.history.tables import TrialRow
from agent_bench.model import Outcome
from agent_bench.statistics.intervals import clustered_mean
from agent_bench.statistics.ledger import Ledger, ledger_of

By = Literal["agent", "model", "task"]

_T = TrialRow.__table__.c  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Filter:
    """Which trials; None: all."""

    agent: str | None = None
    task: str | None = None
    since: datetime | None = None
    """Ended at or after; UTC."""
    run: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """As conditions of a query."""
        found: list[ColumnElement[bool]] = []
        if self.agent is not None:
            found.append(_T.agent == self.agent)
        if self.task is not None:
            found.append(_T.task_id == self.task)
        if self.since is not None:
            found.append(_T.ts >= self.since)
        if self.run is not None:
            found.append(_T.run_id == self.run)
        return found


@dataclass(frozen=True)
class HistoryRow:
    """A trial in the history."""

    trial: str
    run: str
    ended_at: str
    """ISO 8601, UTC."""
    agent: str
    model: str | None
    task: str
    attempt: int
    outcome: str
    dry_run: bool
    overall: float | None
    tokens: int | None
    usage_source: str
    cost_usd: float | None
    wall_sec: float | None
    reason: str


@dataclass(frozen=True)
class Standing:
    """A row of the leaderboard: an agent, a model or a task, and all its trials that were planned."""

    name: str
    mean: float | None
    """Of the overall, over the trials that have one."""
    low: float | None
    high: float | None
    """95 % interval."""
    interval_note: str
    counted: int
    """Trials in the mean."""
    not_counted: int
    strict_mean: float | None
    """The same with every planned trial that has no overall as 0; of those that could run."""
    tasks: int
    cost_usd: float | None
    """Sum of the known costs; None: none is known."""
    cost_unknown: int
    """Counted trials of unknown cost."""
    wall_sec: float | None
    """Mean."""
    tokens: int | None
    ledger: Ledger
    rank: str
    """From..to where the intervals do not separate rows: "1", "2-4"."""
    mixed: tuple[str, ...]
    """What differs among the trials averaged here besides the tasks."""

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def recent(history: History, last: int, chosen: Filter) -> list[HistoryRow]:
    """The last trials that have a record, the newest first."""
    wanted = (
        select(_T)
        .where(_T.trial_id.is_not(None), *chosen.conditions())
        .order_by(_T.ts.desc(), _T.id.desc())
        .limit(last)
    )
    with history.reading() as connection:
        return [_history_row(row) for row in connection.execute(wanted)]


def _history_row(row: Row[Any]) -> HistoryRow:
    return HistoryRow(
        trial=row.trial_id,
        run=row.run_id,
        ended_at=_utc(row.ts).isoformat(timespec="seconds"),
        agent=row.agent,
        model=row.model_used or row.model or None,
        task=row.task_id,
        attempt=row.attempt,
        outcome=row.outcome,
        dry_run=row.dry_run,
        overall=row.overall,
        tokens=_tokens(row),
        usage_source=row.usage_source,
        cost_usd=row.cost_usd,
        wall_sec=row.wall_sec,
        reason=row.reason,
    )


def _utc(moment: datetime) -> datetime:
    # SQLite keeps no time zone; what we write is UTC.
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _tokens(row: Row[Any]) -> int | None:
    counts = (row.input_tokens, row.output_tokens, row.cache_read_tokens, row.cache_write_tokens)
    return None if counts[:2] == (None, None) else sum(count or 0 for count in counts)


def ledger(history: History, chosen: Filter) -> Ledger:
    """The ledger of all planned trials of a selection, dry runs left out unless a single run is asked for."""
    wanted = select(_T.outcome, _T.overall).where(*chosen.conditions())
    if chosen.run is None:
        wanted = wanted.where(_T.dry_run.is_(False))
    with history.reading() as connection:
        return _ledger(connection.execute(wanted))


def _ledger(rows: Iterable[Row[Any]]) -> Ledger:
    return ledger_of((Outcome(row.outcome) if row.outcome else None, row.overall is not None) for row in rows)


def leaderboard(history: History, by: By, chosen: Filter) -> list[Standing]:
    """The standings, best first; those without any counted trial last. Dry runs are never in it.

    Rows whose trials all could not run are left out: there is nothing to say of them.
    """
    columns: tuple[Any, ...] = (
        *(_T.agent, _T.model, _T.model_used, _T.task_id, _T.outcome, _T.overall, _T.wall_sec, _T.cost_usd),
        *(_T.input_tokens, _T.output_tokens, _T.cache_read_tokens, _T.cache_write_tokens),
        *(_T.task_digest, _T.settings_digest, _T.agent_version, _T.sandbox),
    )
    wanted = select(*columns).where(_T.dry_run.is_(False), *chosen.conditions()).order_by(_T.id)
    groups: dict[str, list[Row[Any]]] = {}
    with history.reading() as connection:
        for row in connection.execute(wanted):
            groups.setdefault(_group(row, by), []).append(row)
    standings = [_standing(name, rows, by) for name, rows in groups.items() if _could_run(rows)]
    standings.sort(key=lambda row: (row.mean is None, -(row.mean or 0), row.name))
    return [_ranked(row, standings) for row in standings]


def _group(row: Row[Any], by: By) -> str:
    if by == "task":
        return str(row.task_id)
    if by == "model":
        return str(row.model_used or row.model or f"{row.agent} (model unknown)")
    return f"{row.agent} [{row.model}]" if row.model else str(row.agent)


def _could_run(rows: Sequence[Row[Any]]) -> bool:
    return any(row.outcome is None or not Outcome(row.outcome).is_not_run for row in rows)


def _standing(name: str, rows: list[Row[Any]], by: By) -> Standing:
    counted = [row for row in rows if row.outcome and Outcome(row.outcome).is_counted]
    scored = [row for row in counted if row.overall is not None]
    by_task: dict[str, list[float]] = {}
    for row in scored:
        by_task.setdefault(row.task_id, []).append(row.overall)
    mean = clustered_mean(by_task)
    able = [row for row in rows if not (row.outcome and Outcome(row.outcome).is_not_run)]
    costs = [row.cost_usd for row in counted if row.cost_usd is not None]
    times = [row.wall_sec for row in counted if row.wall_sec is not None]
    tokens = [count for row in counted if (count := _tokens(row)) is not None]
    return Standing(
        name=name,
        mean=mean.value,
        low=mean.low,
        high=mean.high,
        interval_note=mean.reason,
        counted=len(scored),
        not_counted=len(rows) - len(scored),
        strict_mean=sum(row.overall for row in scored) / len(able) if able else None,
        tasks=mean.clusters,
        cost_usd=sum(costs) if costs else None,
        cost_unknown=len(counted) - len(costs),
        wall_sec=sum(times) / len(times) if times else None,
        tokens=sum(tokens) if tokens else None,
        ledger=_ledger(rows),
        rank="",
        mixed=_mixed(scored, by),
    )


def _mixed(rows: Sequence[Row[Any]], by: By) -> tuple[str, ...]:
    """What makes the trials of a row less than alike, in words: said, never silently averaged."""
    found = []
    digests: dict[str, set[str]] = {}
    for row in rows:
        digests.setdefault(row.task_id, set()).add(row.task_digest)
    changed = sorted(task for task, values in digests.items() if len(values) > 1)
    if changed:
        found.append(f"changed tasks: {', '.join(changed[:3])}")
    if by != "task":
        versions = sorted({row.agent_version for row in rows if row.agent_version})
        if len(versions) > 1:
            found.append(f"{len(versions)} versions: {', '.join(versions[:3])}")
        if len({(row.agent, row.task_id, row.settings_digest) for row in rows}) > len(
            {(row.agent, row.task_id) for row in rows}
        ):
            found.append("several settings or limits")
    sandboxes = sorted({row.sandbox for row in rows if row.sandbox})
    if len(sandboxes) > 1:
        found.append(f"sandboxes: {', '.join(sandboxes)}")
    return tuple(found)


def _ranked(row: Standing, standings: Sequence[Standing]) -> Standing:
    """The row with its rank: as a range where intervals overlap, for then the data do not separate the rows."""
    if row.mean is None:
        return row
    with_mean = [other for other in standings if other.mean is not None]
    better = sum(_is_above(other, row) for other in with_mean)
    worse = sum(_is_above(row, other) for other in with_mean)
    first, last = better + 1, len(with_mean) - worse
    return Standing(**{**row.__dict__, "rank": str(first) if first == last else f"{first}-{last}"})


def _is_above(one: Standing, other: Standing) -> bool:
    """Whether the whole interval of one lies above that of the other."""
    if one.low is None or other.high is None:
        return False
    return one.low > other.high
