"""The rows of a results table: one for each planned trial, whatever came of it."""

from collections.abc import Iterable
from dataclasses import dataclass

from agent_bench.model import Outcome, Run, Trial, TrialRecord
from agent_bench.reports import figures
from agent_bench.reports.untrusted import one_line

STATUS = {
    Outcome.COMPLETED: "OK",
    Outcome.AGENT_FAILED: "failed",
    Outcome.TIMED_OUT: "timeout",
    Outcome.OVER_BUDGET: "budget",
    Outcome.SETUP_FAILED: "error",
    Outcome.SANDBOX_FAILED: "error",
    Outcome.PROVIDER_FAILED: "error",
    Outcome.GRADING_FAILED: "error",
    Outcome.INTERRUPTED: "stopped",
    Outcome.UNAVAILABLE: "n/a",
    Outcome.UNSUPPORTED: "n/a",
}

HEADERS = (
    "agent",
    "task",
    "status",
    "overall",
    "files",
    "imp",
    "ruff",
    "pytest",
    "judge",
    "tokens",
    "$cost",
    "time(s)",
)


@dataclass(frozen=True)
class Row:
    """One trial, ready to be shown."""

    agent: str
    task: str
    status: str
    overall: str
    signals: tuple[str, str, str, str, str]
    """files, imports, ruff, pytest, judge."""
    tokens: str
    tokens_short: str
    cost: str
    seconds: str
    trial: str
    """Id of the record: what ``show`` takes."""
    remark: str
    """What the reader must know besides: why it failed or did not run, signals of the task's own; or empty."""

    def cells(self, *, short: bool = False) -> tuple[str, ...]:
        """The cells in the order of ``HEADERS``."""
        tokens = self.tokens_short if short else self.tokens
        return (
            self.agent,
            self.task,
            self.status,
            self.overall,
            *self.signals,
            tokens,
            self.cost,
            self.seconds,
        )


def rows_of(run: Run, records: Iterable[TrialRecord]) -> tuple[Row, ...]:
    """The rows of a run's trials, sorted by task, agent and attempt."""
    attempts = max((trial.key.attempt for trial in run.trials), default=1)
    rows = {trial.key: _row(trial, None, numbered=attempts > 1) for trial in run.trials}
    trials = {trial.key: trial for trial in run.trials}
    for record in records:
        rows[record.key] = _row(trials[record.key], record, numbered=attempts > 1)
    return tuple(rows[key] for key in sorted(rows, key=lambda k: (k.task, k.agent, k.model or "", k.attempt)))


def _row(trial: Trial, record: TrialRecord | None, *, numbered: bool) -> Row:
    agent = trial.key.agent + (f" [{trial.key.model}]" if trial.key.model else "")
    agent = one_line(f"{agent} #{trial.key.attempt}" if numbered else agent, 60)
    if record is None:
        status = STATUS[trial.skip] if trial.skip else "not run"
        unknown = figures.UNKNOWN
        remark = one_line(trial.skip_reason)
        return Row(
            agent, trial.key.task, status, unknown, (unknown,) * 5, unknown, unknown, unknown,
            figures.seconds(0.0), "", remark,
        )  # fmt: skip
    estimated = record.usage.source == "estimated"
    total = record.usage.total_tokens
    return Row(
        agent=agent,
        task=trial.key.task,
        status="dry run" if record.dry_run else STATUS[record.outcome],
        overall=figures.score(record.score.value),
        signals=_signal_cells(record),
        tokens=figures.tokens(total, estimated=estimated),
        tokens_short=figures.tokens_short(total, estimated=estimated),
        cost=figures.usd(record.cost_usd),
        seconds=figures.seconds(record.wall_sec),
        trial=record.id,
        remark=_remark(record),
    )


def _signal_cells(record: TrialRecord) -> tuple[str, str, str, str, str]:
    def value(name: str) -> float | None:
        signal = record.signal(name)
        return signal.value if signal else None

    return (
        figures.mark(value("files")),
        figures.mark(value("imports")),
        figures.mark(value("ruff")),
        figures.score(value("pytest")),
        figures.score(value("judge")),
    )


def _remark(record: TrialRecord) -> str:
    parts = []
    if record.reason:
        parts.append(record.reason)
    if record.score.value is None and record.outcome.is_counted:
        parts.append(record.score.reason)
    if record.produced.evidence:
        parts.append(f"{len(record.produced.evidence)} things refused or restored")
    if record.tries:
        parts.append(f"{len(record.tries)} earlier tries")
    return one_line("; ".join(parts))
