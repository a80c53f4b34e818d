"""Questions to the history. Every view asks here, so that all of them print the same numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, case, func, literal, or_, select

from agent_bench.history.columns import utc
from agent_bench.history.standings import By, PlannedTrial, Standing, standings
from agent_bench.history.store import History
from agent_bench.history.tables import RunRow, TrialRow
from agent_bench.model import Outcome
from agent_bench.statistics.ledger import Ledger, ledger_of

__all__ = ["By", "Filter", "HistoryRow", "Standing", "leaderboard", "ledger", "recent"]

_RUNS = RunRow.__table__  # type: ignore[attr-defined]
_R = _RUNS.c
_T = TrialRow.__table__.c  # type: ignore[attr-defined]
_KINDS = (_T.input_tokens, _T.output_tokens, _T.cache_read_tokens, _T.cache_write_tokens)
# As Usage.total_tokens has it.
_TOKENS = case(
    (_T.input_tokens.is_(None) & _T.output_tokens.is_(None), None),
    else_=sum((func.coalesce(kind, 0) for kind in _KINDS), literal(0)),
).label("tokens")
_LISTED: tuple[Any, ...] = (*_T, _TOKENS)
# As PlannedTrial has them.
_PLANNED = (
    *(_T.agent, _T.model, _T.model_used, _T.task_id, _T.task_digest, _T.settings_digest, _T.agent_version, _T.sandbox),
    *(_R.harness_version, _T.outcome, _T.overall, _T.wall_sec, _T.input_tokens, _T.output_tokens, _TOKENS, _T.cost_usd),
)
_OUTCOMES: Mapping[str | None, Outcome | None] = {None: None, **{outcome.value: outcome for outcome in Outcome}}


@dataclass(frozen=True)
class Filter:
    """Which trials; None: all."""

    agent: str | None = None
    task: str | None = None
    since: datetime | None = None
    """Ended at or after it; what has no record yet, planned at or after it."""
    run: str | None = None
    """Id of a run."""

    def conditions(self) -> list[ColumnElement[bool]]:
        """As conditions of a query on trials."""
        found: list[ColumnElement[bool]] = []
        if self.agent is not None:
            found.append(_T.agent == self.agent)
        if self.task is not None:
            found.append(_T.task_id == self.task)
        if self.since is not None:
            moment = utc(self.since)
            planned = select(_R.id).where(_R.started_at >= moment)
            found.append(or_(_T.ts >= moment, and_(_T.ts.is_(None), _T.run_id.in_(planned))))
        if self.run is not None:
            found.append(_T.run_id == self.run)
        return found


@dataclass(frozen=True)
class HistoryRow:
    """A trial in the history that has a record: also one that ended in a fault, and one of a dry run."""

    trial: str
    """Id of the record."""
    run: str
    ended_at: str
    """ISO 8601, UTC."""
    agent: str
    model: str | None
    """The one that answered; else the one asked for."""
    task: str
    attempt: int
    outcome: str
    dry_run: bool
    """Every figure is made up."""
    overall: float | None
    tokens: int | None
    """All kinds together, as far as known."""
    usage_source: str
    cost_usd: float | None
    wall_sec: float | None
    """The agent's own time."""
    reason: str
    """Why it ended so."""


def recent(history: History, last: int, chosen: Filter) -> list[HistoryRow]:
    """The last trials that have a record, the newest first."""
    wanted = (
        select(*_LISTED)
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
        ended_at=utc(row.ts).isoformat(timespec="seconds"),
        agent=row.agent,
        model=row.model_used or row.model or None,
        task=row.task_id,
        attempt=row.attempt,
        outcome=row.outcome,
        dry_run=row.dry_run,
        overall=row.overall,
        tokens=row.tokens,
        usage_source=row.usage_source,
        cost_usd=row.cost_usd,
        wall_sec=row.wall_sec,
        reason=row.reason,
    )


def ledger(history: History, chosen: Filter) -> Ledger:
    """The ledger of all planned trials of a selection, dry runs left out unless a single run is asked for."""
    wanted = select(_T.outcome, _T.overall).where(*chosen.conditions())
    if chosen.run is None:
        wanted = wanted.where(_T.dry_run.is_(False))
    with history.reading() as connection:
        return ledger_of((_OUTCOMES[row.outcome], row.overall is not None) for row in connection.execute(wanted))


def leaderboard(history: History, by: By, chosen: Filter) -> list[Standing]:
    """The standings of a selection, best first. Dry runs are never in them."""
    wanted = select(*_PLANNED).join(_RUNS, _R.id == _T.run_id)
    wanted = wanted.where(_T.dry_run.is_(False), *chosen.conditions()).order_by(_T.id)
    with history.reading() as connection:
        rows = map(PlannedTrial._make, connection.execute(wanted))
        return standings((row._replace(outcome=_OUTCOMES[row.outcome]) for row in rows), by)
