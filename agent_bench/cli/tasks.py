"""``agent-bench tasks``: list, show, new."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from agent_bench.catalog import select
from agent_bench.cli import options
from agent_bench.cli.loading import load_catalog, load_settings, report_problems
from agent_bench.cli.output import cells, emit_json, note, results_console, show, table
from agent_bench.errors import UsageError
from agent_bench.formats.scaffold import write_scaffold
from agent_bench.model import Task

app = typer.Typer(add_completion=False, invoke_without_command=True)


@app.callback()
def tasks(
    context: typer.Context,
    language: options.LanguageOption = None,
    tier: options.TierOption = None,
    tag: options.TagsOption = None,
    folder: options.TasksOption = None,
    json: options.JsonOption = False,
) -> None:
    """List tasks; show one; start a new one."""
    if context.invoked_subcommand is None:
        _list(language, tier, tuple(tag or ()), folder, json)


@app.command("list")
def list_tasks(
    language: options.LanguageOption = None,
    tier: options.TierOption = None,
    tag: options.TagsOption = None,
    folder: options.TasksOption = None,
    json: options.JsonOption = False,
) -> None:
    """List the tasks that can be run."""
    _list(language, tier, tuple(tag or ()), folder, json)


def _list(language: str | None, tier: str | None, tags: tuple[str, ...], folder: Path | None, json: bool) -> None:
    catalog = load_catalog(load_settings({"tasks": folder}))
    chosen = select(catalog, ids=(), tags=tags, language=language, difficulty=tier)
    if json:
        problems = [{"path": str(p.path), "problem": p.message} for p in catalog.problems]
        emit_json({"tasks": [_summary(task) for task in chosen], "problems": problems})
    else:
        console = results_console()
        listing = table(console, ("task", "format", "language", "difficulty", "limit", "title"))
        for task in chosen:
            limit = f"{task.limits.agent_sec:g} s"
            row = (task.id, task.format, task.language or "", task.difficulty or "", limit, task.title)
            listing.add_row(*cells(*row))
        show(console, listing)
        report_problems(catalog.problems, "task")
    if not chosen:
        note("no task fits")
    if catalog.problems:
        raise typer.Exit(1)


def _summary(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "format": task.format,
        "title": task.title,
        "language": task.language,
        "difficulty": task.difficulty,
        "tags": task.tags,
        "limit_sec": task.limits.agent_sec,
        "digest": task.digest,
        "source": str(task.source),
        "has_solution": task.solution is not None,
    }


@app.command("show")
def show_task(
    task_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the task.")],
    folder: options.TasksOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show one task: what the agent is told, and how it is graded."""
    (task,) = select(load_catalog(load_settings({"tasks": folder})), ids=(task_id,))
    if json:
        emit_json(
            {
                **_summary(task),
                "instruction": task.instruction,
                "checks": [c.model_dump() for c in task.checks],
            }
        )
        return
    console = results_console()
    facts = table(console, ("", ""))
    facts.show_header = False
    for name, value in _facts(task):
        facts.add_row(*cells(name, value))
    checks = table(console, ("check", "grader", "weight", "options"), right=frozenset({"weight"}))
    for check in task.checks:
        wishes = ", ".join(f"{key}={value}" for key, value in check.options.items())
        checks.add_row(*cells(check.name, check.grader, f"{check.weight:g}", wishes))
    show(
        console,
        Text(f"{task.id}: {task.title}", style="bold"),
        facts,
        Text(task.instruction),
        Text(""),
        checks,
    )


def _facts(task: Task) -> list[tuple[str, str]]:
    given = [
        ("format", task.format),
        ("language", task.language or ""),
        ("difficulty", task.difficulty or ""),
        ("tags", ", ".join(task.tags)),
        ("limit", f"{task.limits.agent_sec:g} s"),
        ("starting files", str(task.workspace or "")),
        ("requirements", ", ".join(task.environment.requirements)),
        ("solution", str(task.solution or "")),
        ("digest", task.digest),
        ("file", str(task.source)),
    ]
    return [(name, value) for name, value in given if value]


@app.command("new")
def new_task(
    task_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the new task.")],
    folder: options.TasksOption = None,
) -> None:
    """Start a new task: writes a file that is valid as it stands, to be filled in."""
    target = folder or Path("tasks")
    if (target / f"{task_id}.yaml").exists():
        raise UsageError(f"{target / task_id}.yaml exists already", "choose another id")
    for path in write_scaffold(target, task_id):
        note(f"wrote {path}")
    note(f"next: edit it, then: agent-bench run {task_id} --agent reference --agent noop")
