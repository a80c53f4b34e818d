"""``agent-bench calibrate``: whether tasks are as difficult as they were meant to be."""

from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from agent_bench.cli import options
from agent_bench.cli.loading import load_settings, open_store, report_problems
from agent_bench.cli.output import cells, emit_json, is_narrow, note, results_console, show, table
from agent_bench.errors import GateFailedError, UsageError
from agent_bench.history.attempts import Attempt, from_files, from_history
from agent_bench.history.files import write_durably
from agent_bench.history.queries import Filter
from agent_bench.reports.calibration import HEADERS, Calibration, markdown_of
from agent_bench.reports.calibration import calibrate as calibration_of
from agent_bench.statistics.calibration import Band

app = typer.Typer(add_completion=False)

_RIGHT = frozenset({"attempts", "solved", "rate", "95 %", "not", "more"})
_SHORT_HEADERS = ("task", "agent", "solved", "95 %", "verdict", "more")


@app.command()
def calibrate(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUNS...]", help="Files or folders of runs, or ids of runs. [default: the history]"),
    ] = None,
    band: Annotated[
        tuple[float, float], typer.Option("--band", metavar="LOW HIGH", help="Solve rates that a task should have.")
    ] = (0.1, 0.7),
    fail_outside_band: Annotated[
        bool,
        typer.Option("--fail-outside-band", help="Exit 1 if a task is too easy or too hard, or if none can be judged."),
    ] = False,
    agent: options.AgentFilter = None,
    task: options.TaskFilter = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for calibration.json and calibration.md.")
    ] = None,
    db: options.DbOption = None,
    json: options.JsonOption = False,
) -> None:
    """Solve rates by task and agent against a band, with 95 % intervals; a verdict only where they allow one."""
    found = calibration_of(_collect(runs or [], Filter(agent=agent, task=task), db), _band(*band))
    if out:
        write_durably(out / "calibration.json", dumps(found.as_json(), indent=2, ensure_ascii=False) + "\n")
        write_durably(out / "calibration.md", markdown_of(found))
        note(f"wrote {out / 'calibration.json'} and calibration.md")
    if json:
        emit_json(found.as_json())
    else:
        _show(found)
    if fail_outside_band:
        _hold(found)


def _band(low: float, high: float) -> Band:
    try:
        return Band(low, high)
    except ValueError as error:
        raise UsageError(f"--band: {error}", "expected 0 <= LOW <= HIGH <= 1") from error


def _collect(places: list[str], chosen: Filter, db: str | None) -> list[Attempt]:
    """The attempts that are asked for, some perhaps several times. Raises ``AgentBenchError``."""
    if not places:
        with open_store(load_settings({"db": db})) as history:
            return from_history(history, chosen)
    attempts: list[Attempt] = []
    for place in places:
        attempts += _from_path(Path(place)) if Path(place).exists() else _from_run(place, db)
    return [
        attempt
        for attempt in attempts
        if chosen.agent in (None, attempt.key.agent) and chosen.task in (None, attempt.key.task)
    ]


def _from_path(place: Path) -> tuple[Attempt, ...]:
    read = from_files(place)
    report_problems(read.problems, "file")
    if not read.files:
        raise UsageError(f"no results of a run in {place}", "looked for: results.json, trial.json, run.json")
    return read.attempts


def _from_run(name: str, db: str | None) -> list[Attempt]:
    with open_store(load_settings({"db": db})) as history:
        try:
            run = history.run(name)
        except UsageError as error:
            raise UsageError(f"'{name}' is no file and no folder, and {error.message}", error.hint) from error
        return from_history(history, Filter(run=run.id))


def _show(found: Calibration) -> None:
    console = results_console()
    is_short = console.is_terminal and is_narrow(console)
    columns = _SHORT_HEADERS if is_short else HEADERS
    listing = table(console, columns, right=_RIGHT, whole=frozenset({"digest", "verdict"}))
    for row in found.rows:
        values = dict(zip(HEADERS, row.cells(), strict=True))
        values["solved"] += f"/{values['attempts']}" if is_short else ""
        listing.add_row(*cells(*(values[column] for column in columns)))
    rework = found.rework()
    show(
        console,
        listing if found.rows else Text("no attempt counted"),
        *(Text(line, style="dim") for line in found.remarks()),
        Text("needs rework:" if rework else "needs rework: nothing that can be said"),
        *(Text(f"  {line}") for line in rework),
    )


def _hold(found: Calibration) -> None:
    """Raises ``GateFailedError``."""
    if found.outside:
        raise GateFailedError(f"outside of the band: {'; '.join(found.rework())}")
    if not found.judged:
        raise GateFailedError("nothing could be judged", "more attempts are needed: see the column 'more'")
