"""``agent-bench history``: recent trials."""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.text import Text

from agent_bench.cli import options
from agent_bench.cli.loading import load_settings, open_store
from agent_bench.cli.output import cells, emit_json, is_narrow, results_console, show, table
from agent_bench.errors import UsageError
from agent_bench.history.queries import Filter, HistoryRow, ledger, recent
from agent_bench.model import Outcome
from agent_bench.reports import figures
from agent_bench.reports.rows import STATUS
from agent_bench.reports.untrusted import one_line

app = typer.Typer(add_completion=False)

_COLUMNS = ("trial", "ended", "agent", "task", "status", "overall", "tokens", "$cost", "time(s)", "run", "why")
_SHORT_COLUMNS = ("trial", "ended", "agent", "task", "status", "overall", "time(s)")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@app.command()
def history(
    last: Annotated[int, typer.Option("--last", "-n", min=1, help="How many trials.")] = 20,
    agent: options.AgentFilter = None,
    task: options.TaskFilter = None,
    since: Annotated[str | None, typer.Option(help="A date (2026-12-01), a time, or an age: 90m, 12h, 7d.")] = None,
    db: options.DbOption = None,
    json: options.JsonOption = False,
) -> None:
    """Recent trials from the history, the newest first."""
    chosen = Filter(agent=agent, task=task, since=parse_since(since) if since else None)
    with open_store(load_settings({"db": db})) as store:
        rows = recent(store, last, chosen)
        words = ledger(store, chosen).words()
    if json:
        emit_json([asdict(row) for row in rows])
        return
    console = results_console()
    is_short = console.is_terminal and is_narrow(console)
    columns = _SHORT_COLUMNS if is_short else _COLUMNS
    right, whole = frozenset({"overall", "tokens", "$cost", "time(s)"}), frozenset({"trial", "ended", "status"})
    listing = table(console, columns, right=right, whole=whole)
    for row in rows:
        values = _values(row)
        listing.add_row(*cells(*(values[column] for column in columns)))
    show(console, listing, Text(f"all that fit: {words}"))


def _values(row: HistoryRow) -> dict[str, str]:
    return {
        "trial": row.trial,
        "ended": row.ended_at[5:16].replace("T", " "),
        "agent": row.agent,
        "task": row.task,
        "status": "dry run" if row.dry_run else STATUS[Outcome(row.outcome)],
        "overall": figures.score(row.overall),
        "tokens": figures.tokens(row.tokens, estimated=row.usage_source == "estimated"),
        "$cost": figures.usd(row.cost_usd),
        "time(s)": figures.seconds(row.wall_sec),
        "run": row.run,
        "why": one_line(row.reason, 60),
    }


def parse_since(text: str) -> datetime:
    """A moment, from a date, a time of ISO 8601 (UTC unless it says otherwise), or an age. Raises ``UsageError``."""
    if text[:-1].isdigit() and text[-1:] in _UNITS:
        return datetime.now(UTC) - timedelta(**{_UNITS[text[-1]]: int(text[:-1])})
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"--since: found '{text}'", "expected a date (2026-12-01), a time, or an age: 90m, 12h, 7d"
        ) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
