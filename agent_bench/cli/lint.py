"""``agent-bench lint``: the specifications of verified tasks, read for smells. Nothing is run."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from agent_bench.catalog import Catalog, select
from agent_bench.cli import options
from agent_bench.cli.loading import load_catalog, load_settings, report_problems
from agent_bench.cli.output import emit_json, note
from agent_bench.errors import FileError, UsageError
from agent_bench.formats.task_source import read_task_text
from agent_bench.formats.verified import SPEC, TASK_FILES, VerifiedFormat
from agent_bench.model import Task
from agent_bench.reports.untrusted import one_line
from agent_bench.validation.lint import Finding, lint_spec
from agent_bench.workspace import shown

app = typer.Typer(add_completion=False)

_LONGEST_MESSAGE = 500

_Linted = list[tuple[Task, tuple[Finding, ...]]]


@app.command()
def lint(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[TASK...]", help="Ids of tasks. [default: all]")] = None,
    task: Annotated[list[str] | None, typer.Option("--task", metavar="ID", help="The same. Repeatable.")] = None,
    language: options.LanguageOption = None,
    folder: options.TasksOption = None,
    json: options.JsonOption = False,
) -> None:
    """Read the specifications of verified tasks for what makes them unclear. Nothing is run.

    Exits with 1 if there is an error; warnings and rules that a task disables with a reason do not count.
    """
    wanted = (*(ids or ()), *(task or ()))
    catalog = load_catalog(load_settings({"tasks": folder}))
    chosen = select(catalog, ids=wanted, language=language)
    # A bad file stops no selection that does not mean it.
    unreadable = [] if wanted else [problem for problem in catalog.problems if problem.path.name in TASK_FILES]
    report_problems(unreadable, "task")
    verified = [found for found in chosen if found.format == VerifiedFormat.name]
    if others := len(chosen) - len(verified):
        note(f"{others} tasks of other formats left out: they have no specification of this form")
    if not verified:
        raise _none(catalog)
    linted = [(found, _findings(found)) for found in verified]
    counts = _counts(linted, unreadable)
    if json:
        emit_json({**counts, "tasks": [_as_json(found, findings) for found, findings in linted]})
    else:
        sys.stdout.writelines(_line(found, finding) for found, findings in linted for finding in findings)
        sys.stdout.write(", ".join(f"{count} {what}" for what, count in counts.items()) + "\n")
    if counts["errors"] or unreadable:
        raise typer.Exit(1)


def _none(catalog: Catalog) -> UsageError:
    known = [found.id for found in catalog.tasks if found.format == VerifiedFormat.name]
    return UsageError("no verified task was selected", f"there are: {', '.join(known) or 'none'}")


def _findings(task: Task) -> tuple[Finding, ...]:
    """Raises ``FileError`` if the specification is no text."""
    path = _spec(task)
    wishes = task.checks[0].options
    return lint_spec(
        read_task_text(path) if path.is_file() else None,
        fail_to_pass=wishes["fail_to_pass"],
        entrypoints=wishes["entrypoint_files"],
        disabled=wishes.get("lint") or {},
    )


def _spec(task: Task) -> Path:
    return task.source.with_name(SPEC)


def _place(task: Task, finding: Finding) -> str:
    """The file that it is about, as it is named from here."""
    path = task.source if finding.rule.startswith("lint-") else _spec(task)
    here = Path.cwd()
    return shown(str(path.relative_to(here) if path.is_relative_to(here) else path))


def _line(task: Task, finding: Finding) -> str:
    place = _place(task, finding) + (f":{finding.line}" if finding.line else "")
    kind = "disabled" if finding.disabled else finding.severity
    why = f" (disabled: {one_line(finding.disabled)})" if finding.disabled else ""
    return f"{place}: [{kind}] {finding.rule}: {one_line(finding.message, _LONGEST_MESSAGE)}{why}\n"


def _counts(linted: _Linted, unreadable: Sequence[FileError]) -> dict[str, int]:
    kinds = Counter(
        "disabled" if finding.disabled else finding.severity for _, findings in linted for finding in findings
    )
    return {
        "specifications": len(linted),
        "unreadable": len(unreadable),
        "errors": kinds["error"],
        "warnings": kinds["warning"],
        "disabled": kinds["disabled"],
    }


def _as_json(task: Task, findings: Sequence[Finding]) -> dict[str, Any]:
    return {"id": task.id, "path": str(_spec(task)), "findings": [finding.model_dump() for finding in findings]}
