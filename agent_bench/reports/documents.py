"""A run's results as Markdown and as CSV."""

import csv
import io

from agent_bench.model import RunResult, TrialRecord
from agent_bench.reports import figures
from agent_bench.reports.rows import headers_of, rows_of
from agent_bench.reports.untrusted import markdown_cell
from agent_bench.statistics.intervals import clustered_mean
from agent_bench.statistics.ledger import Ledger, ledger_of


def csv_of(result: RunResult) -> str:
    """One line per planned trial, raw numbers; an unknown is an empty field."""
    records = {record.key: record for record in result.records}
    names = sorted({signal.name for record in result.records for signal in record.signals})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    counts = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "usage_source")
    heads = ("run", "trial", "agent", "model", "task", "attempt", "outcome", "overall")
    writer.writerow([*heads, *names, *counts, "cost_usd", "wall_sec", "reason"])
    for trial in result.run.trials:
        key, record = trial.key, records.get(trial.key)
        head = [key.run, record.id if record else "", key.agent, key.model, key.task, key.attempt]
        if record is None:
            outcome = trial.skip or "not_run"
            writer.writerow([*head, outcome, *[""] * (len(names) + 8), _formula_safe(trial.skip_reason)])
            continue
        values = [signal.value if (signal := record.signal(name)) else None for name in names]
        usage = record.usage
        tokens = [usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens]
        ends = [record.cost_usd, round(record.wall_sec, 3), _formula_safe(record.reason)]
        writer.writerow([*head, record.outcome, record.score.value, *values, *tokens, usage.source, *ends])
    return text.getvalue()


def _formula_safe(text: str) -> str:
    """Text that a spreadsheet will not run as a formula: reasons may quote an agent."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def ledger(result: RunResult) -> Ledger:
    """The ledger of a run."""
    records = {record.key: record for record in result.records}
    found = [(records.get(trial.key), trial.skip) for trial in result.run.trials]
    return ledger_of(
        (record.outcome, record.score.value is not None) if record else (skip, False) for record, skip in found
    )


def markdown_of(result: RunResult) -> str:
    """A report to be put beside others: summary by agent, every trial, how it was done, and where."""
    run = result.run
    parts = [
        f"# agent-bench: run {run.id}",
        f"{run.started_at:%Y-%m-%d %H:%M} UTC, agent-bench {run.harness_version}"
        + (" (interrupted)" if result.interrupted else "")
        + (" (dry run: every figure is made up)" if run.dry_run else ""),
        "## Agents",
        _summary(result),
        "## Trials",
        _trials(result),
        f"{ledger(result).words()}.",
        "## How",
        _method(result),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(headers: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [" | ".join(headers), " | ".join("---" for _ in headers)]
    lines += [" | ".join(markdown_cell(cell) for cell in row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def _summary(result: RunResult) -> str:
    groups: dict[str, list[TrialRecord]] = {}
    for record in result.records:
        if record.outcome.is_counted:
            model = f" [{record.key.model}]" if record.key.model else ""
            groups.setdefault(record.key.agent + model, []).append(record)
    rows = [_agent(name, records) for name, records in groups.items()]
    rows.sort(
        key=lambda row: (
            row[1] == figures.UNKNOWN,
            -float(row[1]) if row[1] != figures.UNKNOWN else 0,
            row[0],
        )
    )
    return _table(("agent", "mean overall", "95 %", "counted", "$cost", "mean time(s)"), rows) if rows else ""


def _agent(name: str, records: list[TrialRecord]) -> tuple[str, ...]:
    by_task: dict[str, list[float]] = {}
    for record in records:
        if record.score.value is not None:
            by_task.setdefault(record.key.task, []).append(record.score.value)
    mean = clustered_mean(by_task)
    costs = [record.cost_usd for record in records if record.cost_usd is not None]
    at_least = "≥" if costs and len(costs) < len(records) else ""
    return (
        name,
        figures.score(mean.value),
        figures.interval(mean.low, mean.high),
        str(mean.n),
        at_least + figures.usd(sum(costs) if costs else None),
        figures.seconds(sum(record.wall_sec for record in records) / len(records)),
    )


def _trials(result: RunResult) -> str:
    rows = rows_of(result.run, result.records)
    headers = (*headers_of(rows), "trial", "remark")
    return _table(headers, [row.cells(headers) for row in rows])


def _method(result: RunResult) -> str:
    run = result.run
    sandboxes = sorted({record.sandbox for record in result.records if record.sandbox})
    versions = sorted({f"{t.key.agent} {t.agent.version}" for t in run.trials if t.agent.version})
    digests = sorted({f"{t.key.task} {t.task_digest[:12]}" for t in run.trials})
    facts = [
        ("sandbox and network of the agents", ", ".join(sandboxes)),
        ("versions", ", ".join(versions)),
        ("tasks (digest)", ", ".join(digests)),
        ("judge", str(run.arguments.get("judge_model")) if run.arguments.get("judge") else "off"),
        ("host", ", ".join(run.host.values())),
        (
            "overall",
            "prompt tasks: weighted mean of the signals, renormalised over what was observed, not observed below half"
            " of the weight; verified tasks: 1 if every withheld test passed, else 0",
        ),
        ("interval", "95 %, clustered by task; none for a single task"),
    ]
    return "\n".join(f"- {name}: {markdown_cell(value)}" for name, value in facts if value)
