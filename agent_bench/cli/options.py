"""The options of the command line, each under one name for all commands that have it."""

from pathlib import Path
from typing import Annotated

import typer

# ------------------------------------------------------------------------------ where things are
TasksOption = Annotated[
    Path | None,
    typer.Option("--tasks", metavar="DIR", help="Folder of tasks, instead of ./tasks and the shipped ones."),
]
DbOption = Annotated[str | None, typer.Option("--db", metavar="FILE|URL", help="The history. [default: ./bench.db]")]
RunsOption = Annotated[
    Path | None,
    typer.Option("--runs", metavar="DIR", help="Folder that trials are kept in. [default: ./runs]"),
]
CacheOption = Annotated[
    Path | None,
    typer.Option("--cache-dir", metavar="DIR", help="Folder for what is made once. [default: the user's cache]"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]
OutOption = Annotated[Path, typer.Option("--out", metavar="FILE", help="File for the results as JSON.")]

# ---------------------------------------------------------------------------- filters of listings
AgentFilter = Annotated[
    str | None, typer.Option("--agent", "-a", "--framework", "-f", metavar="NAME", help="Only this agent.")
]
TaskFilter = Annotated[str | None, typer.Option("--task", metavar="ID", help="Only this task.")]

# ------------------------------------------------------------------------------ what a run is made of
TaskArguments = Annotated[list[str] | None, typer.Argument(metavar="TASK...", help="Ids of tasks.")]
AgentsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        "-a",
        "--framework",
        "-f",
        metavar="NAME[=COMMAND]",
        help="An agent by name, or any command: 'mine=./my-agent {prompt}'. Repeatable."
        " [default: every available agent and both controls]",
    ),
]
ModelsOption = Annotated[
    list[str] | None, typer.Option("--model", metavar="MODEL", help="Run each agent with it. Repeatable.")
]
LanguageOption = Annotated[str | None, typer.Option("--language", help="Only tasks in this language.")]
TierOption = Annotated[
    str | None,
    typer.Option("--tier", "--difficulty", metavar="TIER", help="Only easy, medium or hard tasks."),
]
TagsOption = Annotated[list[str] | None, typer.Option("--tag", help="Only tasks with this tag. Repeatable.")]

# ------------------------------------------------------------------------------------ how it is run
AttemptsOption = Annotated[
    int | None, typer.Option("--attempts", metavar="N", help="Trials per agent and task. [default: 1]")
]
ConcurrentOption = Annotated[
    int | None, typer.Option("--max-concurrent", metavar="N", help="Trials at the same time. [default: 3]")
]
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SEC", help="Limit for each agent, where smaller than the task's."),
]
RetriesOption = Annotated[
    int | None,
    typer.Option("--retries", metavar="N", help="Repeats after a fault of ours or the provider's. [default: 2]"),
]
SandboxOption = Annotated[
    str | None, typer.Option("--sandbox", metavar="NAME", help="auto, bubblewrap or local. [default: auto]")
]
NetworkOption = Annotated[
    str | None,
    typer.Option("--network", metavar="open|none", help="What agents can reach (graders: nothing). [default: open]"),
]
JudgeOption = Annotated[
    bool | None,
    typer.Option("--judge/--no-judge", help="Let a model judge too. [default: where there is a key]"),
]
JudgeModelOption = Annotated[
    str | None, typer.Option("--judge-model", metavar="MODEL", help="[default: claude-sonnet-4-6]")
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="Seed of the order of trials. [default: 0]")
]
ResumeOption = Annotated[
    str | None, typer.Option("--resume", metavar="RUN", help="Run what an interrupted run has not finished.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Check everything, start nothing, store made-up rows.")]
FailFastOption = Annotated[bool, typer.Option("--fail-fast", help="Start nothing more after a fault.")]
RepeatsOption = Annotated[
    int | None,
    typer.Option("--grade-repeats", metavar="N", help="Grade each output N times; mark disagreement. [default: 1]"),
]
ExpectRateOption = Annotated[
    float | None,
    typer.Option(
        "--expect-resolve-rate", metavar="X", min=0, max=1, help="Exit 1 unless each agent resolves this share."
    ),
]
FailUnderOption = Annotated[
    float | None,
    typer.Option("--fail-under", metavar="X", min=0, max=1, help="Exit 1 if an agent's mean is below this."),
]
