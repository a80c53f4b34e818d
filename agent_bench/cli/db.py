"""``agent-bench db``: look after the history."""

from pathlib import Path

import typer

from agent_bench.cli import options
from agent_bench.cli.loading import load_settings, open_store
from agent_bench.cli.output import emit_json, note
from agent_bench.errors import FileError
from agent_bench.history.opening import shown_place
from agent_bench.history.rebuild import rebuild as rebuild_history

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def db() -> None:
    """Look after the history."""


@app.command()
def rebuild(runs: options.RunsOption = None, db: options.DbOption = None, json: options.JsonOption = False) -> None:
    """Enter every run and trial found in the runs folder; what the history has already stays as it is."""
    settings = load_settings({"db": db, "runs": runs})
    folder: Path = settings["runs"]
    if not folder.is_dir():
        raise FileError(folder, "no such folder of runs")
    with open_store(settings) as history:
        done = rebuild_history(history, folder)
    if json:
        problems = [problem.message for problem in done.problems]
        emit_json({"runs": done.runs, "records": done.records, "problems": problems})
    for problem in done.problems:
        note(f"warning: left out: {problem.message}", style="yellow")
    note(f"{shown_place(settings['db'])}: {done.runs} runs and {done.records} records found in {folder}")
    if done.problems:
        raise typer.Exit(1)
