"""``agent-bench grade``: one solver over the verified tasks; seed 001's spelling of ``run``."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from agent_bench.cli import options
from agent_bench.cli.output import note
from agent_bench.cli.run import Gate, start, wishes_of
from agent_bench.errors import UsageError
from agent_bench.history.files import write_durably
from agent_bench.history.store import History
from agent_bench.model import Run
from agent_bench.reports.grade_report import grade_json, grade_markdown

app = typer.Typer(add_completion=False)

_SPEC = "{spec}"
_COMMAND = "command"


@app.command()
def grade(
    solver: Annotated[
        Literal["noop", "reference", "command"], typer.Option("--solver", help="Who solves the tasks.")
    ] = "reference",
    command: Annotated[
        str | None,
        typer.Option(
            "--command", metavar="COMMAND", help="For --solver command; may hold {spec}, {workspace}, {prompt}."
        ),
    ] = None,
    task: Annotated[list[str] | None, typer.Option("--task", metavar="ID", help="Only this task. Repeatable.")] = None,
    language: options.LanguageOption = None,
    expect_resolve_rate: options.ExpectRateOption = None,
    grade_repeats: options.RepeatsOption = None,
    max_concurrent: options.ConcurrentOption = None,
    sandbox: options.SandboxOption = None,
    tasks: Annotated[
        Path | None,
        typer.Option("--tasks-root", "--tasks", metavar="DIR", help="Folder of tasks. [default: as for run]"),
    ] = None,
    runs: options.RunsOption = None,
    db: options.DbOption = None,
    cache_dir: options.CacheOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for run.json and run.md. [default: none]")
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """Run one solver over the verified tasks. Exit 0 whatever is resolved, unless a rate was expected."""
    given = {**locals(), "out": None, "task_ids": task, "agent": (_agent(solver, command),), "format": "verified"}
    write: list[Gate] = [lambda run, history, _: _write(out, solver, command, run, history)] if out else []
    start(wishes_of(given, everything=not task), *write)


def _agent(solver: str, command: str | None) -> str:
    """The agent option that means the solver. Raises ``UsageError``."""
    if (solver == _COMMAND) != (command is not None):
        raise UsageError("--command goes with --solver command, and the other way round")
    # The specification is the whole of the prompt.
    return f"{_COMMAND}={command.replace(_SPEC, '{prompt_file}')}" if command else solver


def _write(folder: Path, solver: str, command: str | None, run: Run, history: History) -> None:
    """Writes run.json and run.md."""
    records = sorted(history.records(run.id), key=lambda record: record.key.task)
    ended = max((record.ended_at for record in records), default=run.started_at)
    text = grade_json(solver, command, ended, records)
    write_durably(folder / "run.json", text)
    write_durably(folder / "run.md", grade_markdown(text))
    note(f"report: {folder / 'run.json'}, run.md")
