"""``agent-bench report``: a saved run again."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from agent_bench import run as running
from agent_bench.cli import options, results_view
from agent_bench.cli.loading import load_catalog, load_settings, open_store
from agent_bench.cli.output import note
from agent_bench.errors import FileError, UsageError
from agent_bench.history.files import write_durably
from agent_bench.model import RunResult
from agent_bench.reports.documents import csv_of, ledger, markdown_of
from agent_bench.rescoring import rescored

app = typer.Typer(add_completion=False)


class Format(StrEnum):
    """How a report is written."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"


@app.command()
def report(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="A run of the history, or 'latest'.")] = None,
    results: Annotated[
        Path | None,
        typer.Option("--results", metavar="FILE", help="A results.json. [default: ./results.json]"),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="How it is written.")] = Format.TABLE,  # noqa: A002
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Into a file.")] = None,
    rescore: Annotated[
        bool, typer.Option("--rescore", help="Score the kept signals by the tasks as they are now; starts nothing.")
    ] = False,
    tasks: options.TasksOption = None,
    db: options.DbOption = None,
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """A saved run again, as a table, Markdown, JSON or CSV."""
    if run and results:
        raise UsageError("a run and --results were both given", "name one of them")
    wanted = Format.JSON if json else format
    result = _from_history(run, db) if run else _from_file(results or Path("results.json"))
    if rescore:
        catalog = load_catalog(load_settings({"tasks": tasks}))
        result, changed = rescored(result, {task.id: task for task in catalog.tasks})
        note(f"scored again: {changed} of {len(result.records)} scores differ from those stored; nothing is stored")
    if wanted is Format.TABLE:
        if output:
            raise UsageError("--output needs a --format", "markdown, json or csv")
        results_view.show(result.run, result.records, ledger(result))
        return
    texts = {Format.MARKDOWN: markdown_of, Format.CSV: csv_of, Format.JSON: _json_of}
    text = texts[wanted](result)
    if output:
        write_durably(output, text)
        note(f"wrote {output}")
    else:
        sys.stdout.write(text)


def _json_of(result: RunResult) -> str:
    return result.model_dump_json(indent=1) + "\n"


def _from_file(path: Path) -> RunResult:
    try:
        return RunResult.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise FileError(
            path, "no such file", hint="`agent-bench run` writes it; or name a run: report latest"
        ) from error
    except (ValidationError, OSError) as error:
        raise FileError(path, f"not the results of a run: {str(error).splitlines()[0]}") from error


def _from_history(run: str, db: str | None) -> RunResult:
    with open_store(load_settings({"db": db})) as history:
        return running.result(history.run(run), history)
