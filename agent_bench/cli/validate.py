"""``agent-bench validate``: do verified tasks measure something?"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from agent_bench.catalog import Catalog, select
from agent_bench.cli import options
from agent_bench.cli.interruption import INTERRUPTED_EXIT, run_interruptibly
from agent_bench.cli.loading import cache_folder, load_catalog, load_settings, missing_toolchains
from agent_bench.cli.output import cells, note, results_console, show, table
from agent_bench.errors import GateFailedError, NothingCouldRunError, UsageError
from agent_bench.history.files import write_durably
from agent_bench.model import Task
from agent_bench.reports.untrusted import one_line
from agent_bench.reports.validation_report import mark, validation_json, validation_markdown
from agent_bench.sandboxes.interface import Sandbox
from agent_bench.sandboxes.table import choose_sandbox
from agent_bench.validation.findings import CHECKS, Validation
from agent_bench.validation.validator import Validator, unreadable

app = typer.Typer(add_completion=False)

_FORMAT, _TASK_FILE = "verified", "task"
_MOST_DETAIL_CHARS = 400


@app.command()
def validate(
    task_ids: options.TaskArguments = None,
    task: Annotated[list[str] | None, typer.Option("--task", metavar="ID", help="Only this task. Repeatable.")] = None,
    language: options.LanguageOption = None,
    tasks: options.TasksOption = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for validation.json and .md.")] = Path(),
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help="Test runs at a time. [default: cores]")
    ] = None,
    cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Take unchanged tasks from the cache.")] = True,
    cache_dir: options.CacheOption = None,
    sandbox: options.SandboxOption = None,
    json: options.JsonOption = False,
) -> None:
    """Prove that verified tasks measure something: ten checks each. Exit 1 if a task is not valid."""
    settings = load_settings({"tasks": tasks, "cache_dir": cache_dir, "sandbox": sandbox})
    catalog = load_catalog(settings)
    wanted = [*(task_ids or ()), *(task or ())]
    chosen, broken = _selected(catalog, wanted, language)
    not_run = missing_toolchains(chosen)
    chosen = [one for one in chosen if one.id not in not_run]
    if not chosen and not broken and not_run:
        raise NothingCouldRunError("no task can be validated here", "\n      ".join(sorted(set(not_run.values()))))
    validator = Validator(
        sandbox=_sandbox(settings["sandbox"]),
        cache=cache_folder(settings),
        environ=dict(os.environ),
        jobs=jobs or os.cpu_count() or 1,
        use_cache=cache,
    )
    found: list[Validation] = list(broken)

    async def work() -> None:
        found.extend(await validator.validate(chosen, _Progress(len(chosen))))

    if run_interruptibly(work):
        raise typer.Exit(INTERRUPTED_EXIT)
    found.sort(key=lambda one: one.task_id)
    text = validation_json(found, not_run)
    write_durably(out / "validation.json", text)
    write_durably(out / "validation.md", validation_markdown(found, not_run))
    if json:
        sys.stdout.write(text)
    else:
        _print(found, not_run)
    note(f"report: {out / 'validation.json'}, validation.md")
    if invalid := [one.task_id for one in found if not one.is_valid]:
        raise GateFailedError(f"{len(invalid)} of {len(found)} tasks are not valid: {', '.join(invalid[:10])}")


def _selected(catalog: Catalog, wanted: Sequence[str], language: str | None) -> tuple[list[Task], list[Validation]]:
    """The verified tasks, and the results of those that cannot be read. Raises ``UsageError`` if there is none."""
    bad = {task_id: error for task_id, error in catalog.broken.items() if error.path.stem == _TASK_FILE}
    readable = [task_id for task_id in wanted if task_id not in bad]
    chosen = select(catalog, ids=readable, language=language) if readable or not wanted else []
    other = [task.id for task in chosen if task.format != _FORMAT]
    if wanted and other:
        raise UsageError(f"not a verified task: {', '.join(other)}", "validate is for tasks with withheld tests")
    broken = [] if language else [unreadable(task_id, bad[task_id]) for task_id in (wanted or bad) if task_id in bad]
    chosen = [task for task in chosen if task.format == _FORMAT]
    if not chosen and not broken:
        raise UsageError("no verified task fits the selection", "see: agent-bench tasks")
    return chosen, broken


def _sandbox(name: str) -> Sandbox:
    sandbox, warning = choose_sandbox(name)
    if warning:
        note(f"warning: {warning}", style="yellow")
    return sandbox


class _Progress:
    """One line on stderr for each task that is done."""

    def __init__(self, count: int) -> None:
        self._count, self._done = count, 0

    def __call__(self, validation: Validation) -> None:
        self._done += 1
        verdict = "valid" if validation.is_valid else "NOT VALID"
        how = "cached" if validation.cached else f"{validation.seconds:.1f} s"
        note(f"[{self._done}/{self._count}] {validation.task_id}  {verdict}  {how}")


def _print(found: Sequence[Validation], not_run: dict[str, str]) -> None:
    console = results_console()
    listing = table(console, ("task", "language", "checks", "valid", "digest"), whole=frozenset({"digest"}))
    for one in found:
        marks = "".join(mark(one, name) for name in CHECKS)
        count = sum(check.passed for check in one.checks)
        row = (one.task_id, one.language, f"{marks} {count}/{len(CHECKS)}", "yes" if one.is_valid else "NO")
        listing.add_row(*cells(*row, one.digest[:12]))
    details = [
        Text(f"  {one.task_id}: {check.name}: {one_line(check.detail, _MOST_DETAIL_CHARS)}", style="red")
        for one in found
        for check in one.checks
        if not check.passed and not check.skipped
    ]
    skipped = [Text(f"  not run  {task_id}: {reason}", style="dim") for task_id, reason in not_run.items()]
    valid = sum(one.is_valid for one in found)
    closing = f"{valid} of {len(found)} tasks are valid" + (f"; {len(not_run)} not run" if not_run else "")
    show(console, listing, *details, *skipped, Text(closing))
