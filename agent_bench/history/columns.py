"""The core types as rows of the tables."""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from agent_bench.model import Run, Trial, TrialKey, TrialRecord

_MOST_TOKENS = 10**15


def utc(moment: datetime) -> datetime:
    """A moment in UTC. SQLite keeps no time zone: what comes from it without one is UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def of_run(run: Run) -> Mapping[str, Any]:
    """A row of ``runs``."""
    return {
        "id": run.id,
        "started_at": utc(run.started_at),
        "harness_version": run.harness_version,
        "dry_run": run.dry_run,
        "run_json": run.model_dump_json(),
    }


def of_key(key: TrialKey) -> Mapping[str, Any]:
    """The columns of ``trials`` that name a trial."""
    return {
        "run_id": key.run,
        "task_id": key.task,
        "agent": key.agent,
        "model": key.model or "",
        "attempt": key.attempt,
    }


def of_plan(trial: Trial, run: Run) -> Mapping[str, Any]:
    """A row of ``trials`` for what is only planned yet."""
    return {
        **of_key(trial.key),
        "task_digest": trial.task_digest,
        "settings_digest": trial.settings_digest,
        "agent_version": _text(trial.agent.version),
        "dry_run": run.dry_run,
        "outcome": trial.skip.value if trial.skip else None,
        "reason": trial.skip_reason,
        "sandbox": "",
        "usage_source": "none",
        "workdir": "",
    }


def of_record(record: TrialRecord) -> Mapping[str, Any]:
    """The columns of ``trials`` that a record fills."""
    usage = record.usage
    return {
        "trial_id": record.id,
        "outcome": record.outcome.value,
        "reason": _text(record.reason),
        "sandbox": record.sandbox,
        "agent_version": _text(record.agent_version),
        "dry_run": record.dry_run,
        "ts": utc(record.ended_at),
        "wall_sec": record.wall_sec,
        "model_used": _text(record.model),
        "input_tokens": _count(usage.input_tokens),
        "output_tokens": _count(usage.output_tokens),
        "cache_read_tokens": _count(usage.cache_read_tokens),
        "cache_write_tokens": _count(usage.cache_write_tokens),
        "usage_source": usage.source,
        "cost_usd": _finite(record.cost_usd),
        "files_produced": len(record.produced.files),
        "overall": record.score.value,
        "resolved": record.score.resolved,
        "score_json": json.dumps(_score(record)),
        "workdir": record.workdir,
    }


def of_signals(record: TrialRecord, trial: int) -> list[Mapping[str, Any]]:
    """The rows of ``signals``; ``trial`` is the row of the trial. Of two signals of one name the first stands."""
    rows: dict[str, Mapping[str, Any]] = {}
    for signal in record.signals:
        reason = _text(signal.reason)
        rows.setdefault(signal.name, {"trial": trial, "name": signal.name, "value": signal.value, "reason": reason})
    return list(rows.values())


def _text(text: str | None) -> str | None:
    """A text that an agent may have had a say in: PostgreSQL takes no NUL."""
    return None if text is None else text.replace("\0", "\\x00")


def _count(count: int | None) -> int | None:
    """A number of tokens; one that cannot be, or whose sums no column could hold, was made up: as good as unknown."""
    return count if count is not None and 0 <= count <= _MOST_TOKENS else None


def _finite(amount: float | None) -> float | None:
    return amount if amount is not None and math.isfinite(amount) else None


def _score(record: TrialRecord) -> Mapping[str, Any]:
    """The score with the names that seed 002 gives its fields."""

    def value(name: str) -> float | None:
        signal = record.signal(name)
        return signal.value if signal else None

    def passed(name: str) -> bool | None:
        found = value(name)
        return None if found is None else found >= 1

    return {
        "files_ok": passed("files"),
        "imports_ok": passed("imports"),
        "ruff_ok": passed("ruff"),
        "pytest_score": value("pytest"),
        "judge_score": value("judge"),
        "overall": record.score.value,
    }
