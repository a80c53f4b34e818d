"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

TasksOption = Annotated[
    Path | None,
    typer.Option("--tasks", metavar="DIR", help="Folder of tasks, instead of ./tasks and the shipped ones."),
]
DbOption = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE|URL", help="The history. [default: ./bench.db]"),
]
RunsOption = Annotated[
    Path | None, typer.Option("--runs", metavar="DIR", help="Folder that trials are kept in. [default: ./runs]")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]
AgentFilter = Annotated[
    str | None, typer.Option("--agent", "-a", "--framework", "-f", metavar="NAME", help="Only this agent.")
]
TaskFilter = Annotated[str | None, typer.Option("--task", metavar="ID", help="Only this task.")]
