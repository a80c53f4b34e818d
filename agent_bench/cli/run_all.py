"""``agent-bench run-all``: ``run`` with every task."""

import inspect
from typing import Any, get_type_hints

import typer

from agent_bench.cli.run import run, start, wishes_of

app = typer.Typer(add_completion=False)


def run_all(**given: Any) -> None:
    """Give every task to agents side by side; the selection options narrow it."""
    start(wishes_of(given, everything=True))


# The options are those of ``run``, less the tasks: typer reads them from the signature and the annotations.
_parameters = [p for p in inspect.signature(run).parameters.values() if p.name != "task_ids"]
run_all.__signature__ = inspect.Signature(_parameters)  # type: ignore[attr-defined]
run_all.__annotations__ = {p.name: get_type_hints(run, include_extras=True)[p.name] for p in _parameters}
app.command()(run_all)
