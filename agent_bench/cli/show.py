"""``agent-bench show TRIAL``: one trial in full."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from agent_bench.cli import options
from agent_bench.cli.loading import load_settings, open_store
from agent_bench.cli.output import cells, emit_json, results_console, table
from agent_bench.cli.output import show as print_parts
from agent_bench.evidence import read_regular
from agent_bench.model import TrialRecord
from agent_bench.reports import figures
from agent_bench.reports.untrusted import lines, one_line

app = typer.Typer(add_completion=False)

_LOG_LINES = 15
_DIFF_LINES = 200
_READ_BYTES = 2 << 20


@app.command()
def show(
    trial: Annotated[str, typer.Argument(metavar="TRIAL", help="Id of the trial, or the start of it.")],
    full: Annotated[bool, typer.Option("--full", help="The whole log and diff, not just parts.")] = False,
    db: options.DbOption = None,
    json: options.JsonOption = False,
) -> None:
    """One trial in full: signals with reasons, files, the log's end, the diff."""
    with open_store(load_settings({"db": db})) as history:
        record = history.find_trial(trial)
    if json:
        emit_json(record.model_dump(mode="json"))
        return
    console = results_console()
    facts = table(console, ("", ""))
    facts.show_header = False
    for name, value in _facts(record):
        facts.add_row(*cells(name, value))
    signals = table(console, ("signal", "value", "why"), right=frozenset({"value"}))
    for signal in record.signals:
        signals.add_row(*cells(signal.name, figures.score(signal.value), one_line(signal.reason, 300)))
    print_parts(console, Text(f"trial {record.id}: {record.key}", style="bold"), facts, signals)
    print_parts(console, *(_section(name, text) for name, text in _texts(record, full) if text))


def _facts(record: TrialRecord) -> list[tuple[str, str]]:
    usage = record.usage
    counts = (
        f"input {figures.tokens(usage.input_tokens)}, output {figures.tokens(usage.output_tokens)},"
        f" cache read {figures.tokens(usage.cache_read_tokens)}, write {figures.tokens(usage.cache_write_tokens)}"
        f" ({usage.source})"
    )
    outcome = f"{record.outcome}: {one_line(record.reason)}" if record.reason else str(record.outcome)
    rows = [
        ("outcome", outcome + (" (dry run)" if record.dry_run else "")),
        ("overall", f"{figures.score(record.score.value)}; {one_line(record.score.reason)}"),
        ("resolved", {None: "", True: "yes", False: "no"}[record.score.resolved]),
        ("gradings", _repeats(record)),
        ("run", record.key.run),
        ("agent version", one_line(record.agent_version or "")),
        ("model", one_line(record.model or "")),
        ("tokens", "" if usage.total_tokens is None else counts),
        ("cost", f"{figures.usd(record.cost_usd)} {one_line(record.cost_note)}".strip()),
        ("judge's cost", "" if record.judge_usage is None else figures.usd(record.judge_cost_usd)),
        ("agent's time", f"{record.wall_sec:.1f} s"),
        ("grading time", f"{record.grading_sec:.1f} s"),
        ("exit code", "" if record.exit_code is None else str(record.exit_code)),
        ("sandbox", record.sandbox),
        ("processes", f"{record.leftovers} left running and ended, {record.survivors} survived"),
        ("started", record.started_at.isoformat(timespec="seconds")),
        ("task digest", record.task_digest[:16]),
        ("folder", record.workdir),
    ]
    return [(name, value) for name, value in rows if value]


def _repeats(record: TrialRecord) -> str:
    """Further gradings of the same output."""
    if not record.repeats:
        return ""
    values = ", ".join(figures.score(score.value) for score in (record.score, *record.repeats))
    return f"{len(record.repeats) + 1}: {values}" + (" (FLAKY: they disagree)" if record.flaky else "")


def _texts(record: TrialRecord, full: bool) -> list[tuple[str, str]]:
    """The parts that are running text, already safe to show."""
    changed = [f"+ {path}" for path in record.produced.added]
    changed += [f"~ {path}" for path in record.produced.modified]
    changed += [f"- {path}" for path in record.produced.deleted]
    tries = [f"{attempt.outcome}: {one_line(attempt.reason)} ({attempt.workdir})" for attempt in record.tries]
    logs = Path(record.workdir or ".") / "logs"
    log_lines, diff_lines = (10**9, 10**9) if full else (_LOG_LINES, _DIFF_LINES)
    return [
        ("earlier tries", "\n".join(tries)),
        ("files", "\n".join(changed if full else _head(changed, 40))),
        ("tampered", "\n".join(one_line(sign, 300) for sign in record.tampered)),
        ("refused", "\n".join(record.produced.evidence)),
        ("protected files: changes undone", "\n".join(record.produced.undone)),
        ("what the agent said last", lines(record.final_message)),
        ("end of the agent's stdout", _tail(logs / "agent.stdout.log", log_lines)),
        ("end of the agent's stderr", _tail(logs / "agent.stderr.log", log_lines)),
        ("changes", "\n".join(_head(_text(logs / "changes.diff").split("\n"), diff_lines)).rstrip("\n")),
    ]


def _text(path: Path) -> str:
    return lines((read_regular(path, _READ_BYTES) or b"").decode("utf-8", "replace"))


def _tail(path: Path, count: int) -> str:
    return "\n".join(_text(path).rstrip("\n").split("\n")[-count:])


def _head(items: list[str], count: int) -> list[str]:
    hidden = len(items) - count
    return items if hidden <= 0 else [*items[:count], f"... {hidden} more lines: --full"]


def _section(name: str, text: str) -> Text:
    return Text.assemble("\n", (name, "bold"), "\n", text)
