"""A run's results on the terminal and as JSON."""

from itertools import groupby
from typing import Any

from rich.text import Text

from agent_bench.cli.output import cells, emit_json, is_narrow, results_console, table
from agent_bench.cli.output import show as print_parts
from agent_bench.model import RunResult
from agent_bench.reports.rows import HEADERS, Row, rows_of

_RIGHT = frozenset({"overall", "pytest", "judge", "tokens", "$cost", "time(s)"})


def show(result: RunResult) -> None:
    """Prints the table, what its readers must know besides, and the ledger."""
    console = results_console()
    rows = rows_of(result)
    narrow = console.is_terminal and is_narrow(console)
    parts = [_by_task(rows)] if narrow else [_whole(rows)]
    for part in parts:
        print_parts(console, *part)
    print_parts(console, *map(Text, remarks(rows)), Text(""), Text(ledger_words(result)))
