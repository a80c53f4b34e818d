"""What a finished run must fulfil, where that was asked for: the thresholds that make exit code 1."""

from typing import Protocol

from agent_bench.errors import GateFailedError, NothingCouldRunError
from agent_bench.history.queries import Filter, leaderboard, ledger
from agent_bench.history.store import History
from agent_bench.model import Run, TrialRecord

_TOLERANCE = 1e-9
CONTROLS = {"noop": 0.0, "reference": 1.0}
"""The controls, and the score that each must have on every task."""
_MOST_SHOWN = 10


class Thresholds(Protocol):
    """What was asked for; None: nothing."""

    @property
    def fail_under(self) -> float | None:
        """Least mean of each agent."""

    @property
    def expect_resolve_rate(self) -> float | None:
        """Share of its trials that each agent resolves."""


def check_scored(run: Run, history: History) -> None:
    """Raises ``NothingCouldRunError`` if nothing was scored."""
    if not ledger(history, Filter(run=run.id)).scored:
        raise NothingCouldRunError("no trial could be scored: every one ended in a fault of ours or the provider's")


def fail_under(run: Run, history: History, asked: Thresholds) -> None:
    """``--fail-under``. Raises ``GateFailedError``."""
    if asked.fail_under is None or run.dry_run:
        return
    standings = leaderboard(history, "agent", Filter(run=run.id))
    low = [row for row in standings if (row.mean or 0.0) < asked.fail_under]
    # The control that must score 0 is no reason to fail, unless nothing else ran.
    low = [row for row in low if row.name != "noop"] if len(standings) > 1 else low
    if low:
        means = ", ".join(f"{row.name} {row.mean or 0.0:.2f}" for row in low)
        raise GateFailedError(f"below --fail-under {asked.fail_under:g}: {means}")


def expect_resolve_rate(run: Run, history: History, asked: Thresholds) -> None:
    """``--expect-resolve-rate``: of the counted trials on tasks that are resolved or not. What could not be observed
    is not resolved. Raises ``GateFailedError``, also if there was no such trial."""
    expected = asked.expect_resolve_rate
    if expected is None or run.dry_run:
        return
    verdicts: dict[str, list[bool]] = {}
    for record in history.records(run.id):
        if record.outcome.is_counted and record.task_format == "verified":
            verdicts.setdefault(record.key.agent, []).append(record.score.resolved is True)
    if not verdicts:
        raise GateFailedError("--expect-resolve-rate: no trial on a task that can be resolved was scored")
    rates = {agent: sum(found) / len(found) for agent, found in verdicts.items()}
    off = [f"{agent} {rate:.3f}" for agent, rate in rates.items() if abs(rate - expected) > _TOLERANCE]
    if off:
        raise GateFailedError(f"not at --expect-resolve-rate {expected:g}: {', '.join(off)}")


def controls_hold(run: Run, history: History, asked: Thresholds) -> None:  # noqa: ARG001 - as all gates
    """noop must score 0 and reference 1, on every task that was planned. Raises ``GateFailedError``."""
    records = {record.key: record for record in history.records(run.id)}
    problems = []
    for trial in run.trials:
        if trial.skip is None:
            problem = _off(records.get(trial.key), CONTROLS[trial.key.agent])
            problems += [f"{trial.key.agent} on {trial.key.task}: {problem}"] if problem else []
    if problems:
        more = [f"and {len(problems) - _MOST_SHOWN} more"] if len(problems) > _MOST_SHOWN else []
        raise GateFailedError("controls do not hold", "\n      ".join([*problems[:_MOST_SHOWN], *more]))


def _off(record: TrialRecord | None, wanted: float) -> str:
    """Why a control's trial is not as it must be; "" if it is."""
    if record is None:
        return "not run"
    if not record.outcome.is_counted:
        return f"{record.outcome}: {record.reason}"
    if record.score.value is None or abs(record.score.value - wanted) > _TOLERANCE:
        found = "not observed" if record.score.value is None else f"{record.score.value:.2f}"
        return f"{found}, expected {wanted:g} ({record.score.reason})"
    return "the gradings of the same output disagree" if record.flaky else ""
