"""Makes the history again from the files of the runs."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from agent_bench.errors import AgentBenchError, FileError
from agent_bench.history.files import PLANS, TRIAL_FILE, read_record
from agent_bench.history.store import History
from agent_bench.model import Run, TrialRecord

_BATCH = 200


@dataclass(frozen=True)
class Rebuilt:
    """What was read."""

    runs: int
    records: int
    problems: tuple[FileError, ...]
    """Files that could not be read; they hide no others."""


def rebuild(history: History, runs: Path) -> Rebuilt:
    """Enters every plan and every record under ``runs``; what the history has already stays as it is."""
    problems: list[FileError] = []
    known: set[str] = set()
    for path in sorted((runs / PLANS).glob("*.json")):
        try:
            run = Run.model_validate_json(path.read_bytes())
        except (ValidationError, OSError) as error:
            problems.append(FileError(path, f"not the plan of a run: {error}"[:300]))
            continue
        history.add_run(run)
        known.add(run.id)
    records = _read_records(runs, known, problems)
    for start in range(0, len(records), _BATCH):
        try:
            history.add_records(records[start : start + _BATCH])
        except AgentBenchError as error:
            problems.append(FileError(runs, error.message))
    return Rebuilt(len(known), len(records), tuple(problems))


def _read_records(runs: Path, known: set[str], problems: list[FileError]) -> list[TrialRecord]:
    """The records, the earliest first: of several tries of a trial the last one counts."""
    records = []
    for path in sorted(runs.rglob(TRIAL_FILE)):
        if _is_agents_own(path):
            continue
        try:
            record = read_record(path)
        except FileError as problem:
            problems.append(problem)
            continue
        if record.key.run in known:
            records.append(record)
        else:
            problems.append(FileError(path, f"its run {record.key.run} has no plan in {runs / PLANS}"))
    return sorted(records, key=lambda record: record.ended_at)


def _is_agents_own(path: Path) -> bool:
    """Whether a file lies in what an agent left: it may hold a file of any name."""
    return any(folder.name in ("output", "traces") and (folder.parent / "logs").is_dir() for folder in path.parents)
