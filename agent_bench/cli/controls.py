"""``agent-bench controls``: both controls over a selection of tasks."""

from pathlib import Path

import typer

from agent_bench.cli import options
from agent_bench.cli.gates import CONTROLS, controls_hold
from agent_bench.cli.run import start, wishes_of

app = typer.Typer(add_completion=False)


@app.command()
def controls(
    task_ids: options.TaskArguments = None,
    language: options.LanguageOption = None,
    tier: options.TierOption = None,
    tag: options.TagsOption = None,
    max_concurrent: options.ConcurrentOption = None,
    sandbox: options.SandboxOption = None,
    grade_repeats: options.RepeatsOption = None,
    tasks: options.TasksOption = None,
    runs: options.RunsOption = None,
    db: options.DbOption = None,
    out: options.OutOption = Path("results.json"),
    json: options.JsonOption = False,
) -> None:
    """Run noop and reference over the tasks (all, if none is named): exit 1 unless they score 0 and 1 on each."""
    given = {**locals(), "agent": tuple(CONTROLS), "judge": False}
    start(wishes_of(given, everything=not task_ids), controls_hold)
