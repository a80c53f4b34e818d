"""The command line's front door: which commands there are, and how errors become messages and exit codes.

A command's module is imported only when that command runs, so that ``agent-bench --help`` stays fast.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from agent_bench import __version__
from agent_bench.errors import AgentBenchError, unknown_name

COMMANDS = {
    "run": (
        "agent_bench.cli.run",
        "Give tasks to agents side by side; grade, price and keep what they leave.",
    ),
    "run-all": ("agent_bench.cli.run_all", "The same for every task."),
    "lint": ("agent_bench.cli.lint", "Check the specifications of verified tasks; runs nothing."),
    "validate": ("agent_bench.cli.validate", "Prove that verified tasks measure something."),
    "controls": ("agent_bench.cli.controls", "Run noop and reference: they must score 0 and 1 on every task."),
    "grade": ("agent_bench.cli.grade", "Run one solver over the verified tasks: noop, reference or a command."),
    "calibrate": ("agent_bench.cli.calibrate", "Solve rates of tasks against a band of wanted difficulty."),
    "tasks": ("agent_bench.cli.tasks", "List tasks; show one; start a new one."),
    "agents": ("agent_bench.cli.agents", "List agents: installed, version, key, and how to get each."),
    "history": ("agent_bench.cli.history", "Recent trials from the history."),
    "leaderboard": ("agent_bench.cli.leaderboard", "Agents ranked, with intervals and what was not counted."),
    "show": ("agent_bench.cli.show", "One trial in full: signals with reasons, files, log, diff."),
    "report": ("agent_bench.cli.report", "A saved run again, as a table, Markdown, JSON or CSV."),
    "pricing": ("agent_bench.cli.pricing", "The prices that costs are computed from."),
    "db": ("agent_bench.cli.db", "Look after the history: rebuild it from the files of the runs."),
    "doctor": ("agent_bench.cli.doctor", "What works on this machine, and what to do about the rest."),
}
"""Name -> (module with an ``app``, one line of help)."""

_INTERRUPTED = 130


class _LazyGroup(TyperGroup):
    """A group whose commands are known by name and one line of help until one of them is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        return TyperCommand(name=cmd_name, help=COMMANDS[cmd_name][1])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise unknown_name("command", args[0], list(COMMANDS))
        name, stub, rest = super().resolve_command(ctx, args)
        if name is None or stub is None:
            return name, stub, rest
        command = typer.main.get_command(import_module(COMMANDS[name][0]).app)
        command.name = name
        return name, command, rest


app = typer.Typer(
    cls=_LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"agent-bench {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Which AI coding agent should we use on our work, at what price: measured, with error bars.

    Exit codes: 0 done · 1 a gate failed · 2 usage or bad input · 3 nothing could run · 4 history unusable ·
    130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits the program."""
    try:
        app(args=None if arguments is None else list(arguments), prog_name="agent-bench")
    except AgentBenchError as error:
        sys.stderr.write(f"error: {error.message}\n")
        if error.hint:
            sys.stderr.write(f"hint: {error.hint}\n")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
