"""A run's results as Markdown and as CSV."""

import csv
import io

from agent_bench.model import RunResult
from agent_bench.reports.rows import HEADERS, rows_of
from agent_bench.reports.untrusted import markdown_cell


def csv_of(result: RunResult) -> str:
    """One line per planned trial, raw numbers; an unknown is an empty field."""
    records = {record.key: record for record in result.records}
    names = sorted({signal.name for record in result.records for signal in record.signals})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["run", "trial", "agent", "model", "task", "attempt", "outcome", "overall", *names]
        + ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "usage_source"]
        + ["cost_usd", "wall_sec", "reason"]
    )
    for trial in result.run.trials:
        key, record = trial.key, records.get(trial.key)
        head = [key.run, record.id if record else "", key.agent, key.model, key.task, key.attempt]
        if record is None:
            outcome = trial.skip or "not_run"
            writer.writerow([*head, outcome, *[""] * (len(names) + 8), _formula_safe(trial.skip_reason)])
            continue
        values = [signal.value if (signal := record.signal(name)) else None for name in names]
        usage = record.usage
        counts = [usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens]
        writer.writerow(
            [*head, record.outcome, record.score.value, *values, *counts, usage.source]
            + [record.cost_usd, round(record.wall_sec, 3), _formula_safe(record.reason)]
        )
    return text.getvalue()


def _formula_safe(text: str) -> str:
    """Text that a spreadsheet will not run as a formula: reasons may quote an agent."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
