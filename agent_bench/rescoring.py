"""Scoring kept evidence again: what the tasks as they are now make of signals observed before. Starts nothing."""

from collections.abc import Mapping

from agent_bench.model import RunResult, Task, TrialRecord
from agent_bench.scoring.decision import score_of


def rescored(result: RunResult, tasks: Mapping[str, Task]) -> tuple[RunResult, int]:
    """The result with every score decided anew by its task's policy, checks and weights, and how many changed.

    Only what was graded is scored; a trial of a task that is not among ``tasks`` stays as it is.
    """
    records = tuple(_rescored(record, tasks.get(record.key.task)) for record in result.records)
    changed = sum(new.score.value != old.score.value for new, old in zip(records, result.records, strict=True))
    return result.model_copy(update={"records": records}), changed


def _rescored(record: TrialRecord, task: Task | None) -> TrialRecord:
    if task is None or not record.outcome.is_counted or record.dry_run:
        return record
    unchanged = record.produced.is_empty or not record.produced.files
    score = score_of(task.policy, task.checks, record.signals, unchanged=unchanged)
    return record.model_copy(update={"score": score, "repeats": ()})
