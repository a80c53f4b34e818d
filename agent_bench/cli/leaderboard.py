"""``agent-bench leaderboard``: who did how well, and how sure that is."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from agent_bench.cli import options
from agent_bench.cli.history import parse_since
from agent_bench.cli.loading import load_settings, open_store
from agent_bench.cli.output import cells, emit_json, is_narrow, results_console, show, table
from agent_bench.history import queries
from agent_bench.history.queries import Filter, Standing
from agent_bench.reports import figures
from agent_bench.reports.untrusted import one_line

app = typer.Typer(add_completion=False)


class Grouping(StrEnum):
    """What a row stands for."""

    AGENT = "agent"
    MODEL = "model"
    TASK = "task"


@app.command()
def leaderboard(
    by: Annotated[Grouping, typer.Option(help="What a row stands for.")] = Grouping.AGENT,
    agent: options.AgentFilter = None,
    task: options.TaskFilter = None,
    since: Annotated[str | None, typer.Option(help="A date, a time, or an age: 90m, 12h, 7d.")] = None,
    run: Annotated[str | None, typer.Option("--run", metavar="RUN", help="Only this run.")] = None,
    db: options.DbOption = None,
    json: options.JsonOption = False,
) -> None:
    """Means with 95 % intervals, what was counted and what not, costs and times."""
    with open_store(load_settings({"db": db})) as history:
        run_id = history.run(run).id if run else None
        chosen = Filter(agent=agent, task=task, since=parse_since(since) if since else None, run=run_id)
        standings = queries.leaderboard(history, by.value, chosen)
        words = queries.ledger(history, chosen).words()
    if json:
        emit_json([row.as_json() for row in standings])
        return
    console = results_console()
    is_short = console.is_terminal and is_narrow(console)
    columns: tuple[str, ...] = ("rank", by.value, "mean", "95 %", "n", "not", "$cost", "time(s)")
    columns = columns if is_short else (*columns, "strict", "tasks", "tokens")
    right = frozenset(columns) - {by.value, "rank"}
    listing = table(console, columns, right=right)
    for row in standings:
        values = _values(row)
        listing.add_row(*cells(*(values[:8] if is_short else values)))
    show(console, listing, *(Text(line, style="dim") for line in _remarks(standings)), Text(words))


def _values(row: Standing) -> tuple[str, ...]:
    cost = figures.usd(row.cost_usd)
    # What is known is a lower bound where some is not.
    cost = f"≥{cost}" if row.cost_unknown and row.cost_usd is not None else cost
    return (
        row.rank or figures.UNKNOWN,
        one_line(row.name, 40),
        figures.score(row.mean),
        figures.interval(row.low, row.high),
        str(row.counted),
        str(row.not_counted),
        cost,
        figures.seconds(row.wall_sec),
        figures.score(row.strict_mean),
        str(row.tasks),
        figures.tokens(row.tokens),
    )


def _remarks(standings: list[Standing]) -> list[str]:
    remarks = ["n: trials in the mean; not: planned but not in it; strict: these as 0; rank: as far as the data tell"]
    for row in standings:
        parts = list(row.mixed)
        parts += [f"no interval: {row.interval_note}"] if row.interval_note else []
        parts += [f"cost of {row.cost_unknown} of {row.ledger.scored} unknown"] if row.cost_unknown else []
        if parts:
            remarks.append(f"{one_line(row.name, 40)}: {'; '.join(parts)}")
    return remarks
