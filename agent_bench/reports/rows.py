"""The rows of a results table: one for each planned trial, whatever came of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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

_WEIGHTED = ("files", "imp", "ruff", "pytest", "judge")
_WITHHELD = ("f2p", "p2p")
"""Fail-to-pass and pass-to-pass tests that passed, of those declared: information, never a verdict."""


@dataclass(frozen=True)
class Row:
    """One trial, ready to be shown."""

    agent: str
    task: str
    status: str
    overall: str
    signals: Mapping[str, str]
    """Column to cell, for the columns that its format has."""
    tokens: str
    tokens_short: str
    cost: str
    seconds: str
    trial: str
    """Id of the record: what ``show`` takes."""
    remark: str
    """What the reader must know besides: why it failed or did not run, signals of the task's own; or empty."""

    def cells(self, headers: Sequence[str], *, short: bool = False) -> tuple[str, ...]:
        """The cells in the order of the headers."""
        known = {
            "agent": self.agent,
            "task": self.task,
            "status": self.status,
            "overall": self.overall,
            **self.signals,
            "tokens": self.tokens_short if short else self.tokens,
            "$cost": self.cost,
            "time(s)": self.seconds,
            "trial": self.trial,
            "remark": self.remark,
        }
        return tuple(known.get(name, figures.UNKNOWN) for name in headers)


def headers_of(rows: Iterable[Row]) -> tuple[str, ...]:
    """The columns of a table with these rows: the signals' are those that any of them has; prompt tasks' if none."""
    found = {name for row in rows for name in row.signals}
    signals = [name for name in (*_WEIGHTED, *_WITHHELD) if name in (found or _WEIGHTED)]
    return ("agent", "task", "status", "overall", *signals, "tokens", "$cost", "time(s)")


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
            agent, trial.key.task, status, unknown, {}, unknown, unknown, unknown,
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


def _signal_cells(record: TrialRecord) -> Mapping[str, str]:
    def value(name: str) -> float | None:
        signal = record.signal(name)
        return signal.value if signal else None

    if record.task_format == "verified":
        facts = record.signals[0].facts if record.signals else {}
        return {name: _share(facts.get(name)) for name in _WITHHELD}
    marks = (figures.mark(value("files")), figures.mark(value("imports")), figures.mark(value("ruff")))
    return dict(zip(_WEIGHTED, (*marks, figures.score(value("pytest")), figures.score(value("judge"))), strict=True))


def _share(share: Any) -> str:
    """Of a fact ``[passed, declared]``."""
    is_share = isinstance(share, list | tuple) and len(share) == 2
    return f"{share[0]}/{share[1]}" if is_share else figures.UNKNOWN


def _remark(record: TrialRecord) -> str:
    parts = []
    if record.reason:
        parts.append(record.reason)
    if record.tampered:
        parts.append(f"TAMPERED: {record.tampered[0]}")
    if record.flaky:
        parts.append(f"FLAKY: {len(record.repeats) + 1} gradings of the same output disagree")
    if record.score.value is None and record.outcome.is_counted:
        parts.append(record.score.reason)
    if record.produced.undone:
        parts.append(f"{len(record.produced.undone)} changes of protected files undone")
    if record.produced.evidence:
        parts.append(f"{len(record.produced.evidence)} things refused")
    if record.tries:
        parts.append(f"{len(record.tries)} earlier tries")
    return one_line("; ".join(parts))
