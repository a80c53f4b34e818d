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
    columns: tuple[str, ...] = (
        "trial",
        "ended (UTC)",
        "agent",
        "task",
        "status",
        "overall",
        "tokens",
        "$cost",
        "time(s)",
    )
    columns = columns if is_short else (*columns, "run", "why")
    listing = table(console, columns, right=frozenset({"overall", "tokens", "$cost", "time(s)"}))
    for row in rows:
        values = _values(row, is_short=is_short)
        listing.add_row(*cells(*(values if is_short else (*values, row.run, one_line(row.reason, 60)))))
    show(console, listing, Text(f"all that fit: {words}"))


def _values(row: HistoryRow, *, is_short: bool) -> tuple[str, ...]:
    tokens = figures.tokens_short if is_short else figures.tokens
    ended = row.ended_at[:16].replace("T", " ")
    return (
        row.trial,
        ended[5:] if is_short else ended,
        row.agent,
        row.task,
        "dry run" if row.dry_run else STATUS[Outcome(row.outcome)],
        figures.score(row.overall),
        tokens(row.tokens, estimated=row.usage_source == "estimated"),
        figures.usd(row.cost_usd),
        figures.seconds(row.wall_sec),
    )


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
