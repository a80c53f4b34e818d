"""A run's results on the terminal."""

from collections.abc import Iterable
from itertools import groupby

from rich.console import Console, RenderableType
from rich.text import Text

from agent_bench.cli.output import cells, is_narrow, results_console, table
from agent_bench.cli.output import show as print_parts
from agent_bench.model import Run, TrialRecord
from agent_bench.reports.rows import Row, headers_of, rows_of
from agent_bench.statistics.ledger import Ledger

_SHORT_HEADERS = {"overall": "over\nall", "pytest": "py\ntest", "time(s)": "time"}
_RIGHT = frozenset({"overall", "pytest", "judge", "f2p", "p2p", "tokens", "$cost", "time(s)", *_SHORT_HEADERS.values()})
_STYLES = {
    "OK": "green",
    "failed": "red",
    "timeout": "red",
    "error": "magenta",
    "stopped": "yellow",
    "n/a": "dim",
}


def show(run: Run, records: Iterable[TrialRecord], ledger: Ledger) -> None:
    """Prints the table, what its readers must know besides, and the ledger."""
    console = results_console()
    rows = rows_of(run, records)
    is_short = console.is_terminal and is_narrow(console)
    print_parts(console, *(_by_task(console, rows) if is_short else [_whole(console, rows)]))
    notes = [Text(f"  {line}", style="dim") for line in remarks(rows)]
    print_parts(console, *notes, Text(ledger.words()))


def remarks(rows: tuple[Row, ...]) -> list[str]:
    """What must be said of rows, each thing once, with the agents that it is true of."""
    by_words: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row.remark:
            by_words.setdefault((row.status, row.remark), {})[row.agent] = None
    return [f"{status:<8} {_some(list(agents))}: {words}" for (status, words), agents in by_words.items()]


def _some(names: list[str], shown: int = 6) -> str:
    hidden = len(names) - shown
    return ", ".join(names) if hidden <= 0 else f"{', '.join(names[:shown])} and {hidden} more"


def _whole(console: Console, rows: tuple[Row, ...]) -> RenderableType:
    headers = (*headers_of(rows), "trial")
    whole = table(console, headers, title="agent-bench results", right=_RIGHT)
    for row in rows:
        whole.add_row(*_styled(row, row.cells(headers)))
    return whole


def _by_task(console: Console, rows: tuple[Row, ...]) -> list[RenderableType]:
    """One small table for each task, for narrow terminals: nothing is cut but digits."""
    parts: list[RenderableType] = []
    for task, group in groupby(rows, key=lambda row: row.task):
        of_task = tuple(group)
        headers = [name for name in headers_of(of_task) if name != "task"]
        shown = tuple(_SHORT_HEADERS.get(name, name) for name in headers)
        small = table(console, shown, title=task, right=_RIGHT)
        for row in of_task:
            small.add_row(*_styled(row, row.cells(headers, short=True)))
        parts.append(small)
    return parts


def _styled(row: Row, values: tuple[str, ...]) -> tuple[str | Text, ...]:
    # Only what needs a style is more than a string: a table can have thousands of rows.
    style = _STYLES.get(row.status, "")
    return tuple(Text(value, style=style) if value == row.status and style else value for value in cells(*values))
