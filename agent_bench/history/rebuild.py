"""Makes the history again from the files of the runs."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_bench.errors import FileError, HistoryError
from agent_bench.history.files import PLANS, TRIAL_FILE, is_trial_folder, read_plan_file, read_record
from agent_bench.history.store import History
from agent_bench.model import TrialRecord

_BATCH = 200


@dataclass(frozen=True)
class Rebuilt:
    """What was read."""

    runs: int
    """Plans that could be read."""
    records: int
    """Records that could be read and belong to one of them."""
    problems: tuple[FileError, ...]
    """Files that could not be entered; they hide no others."""


def rebuild(history: History, runs: Path) -> Rebuilt:
    """Enters every plan and every record under ``runs``; what the history has already stays as it is.

    Dry runs leave no files, so there is nothing to make them again from. Raises ``HistoryError`` if the database
    cannot be written.
    """
    problems: list[FileError] = []
    plans = _enter_plans(history, runs, problems)
    count = 0
    batch: list[tuple[Path, TrialRecord]] = []
    for path in _record_files(runs):
        record = _read(path, plans, problems, runs)
        if record is None:
            continue
        count += 1
        batch.append((path, record))
        if len(batch) == _BATCH:
            _enter(history, batch, problems)
            batch = []
    _enter(history, batch, problems)
    return Rebuilt(len(plans), count, tuple(problems))


def _enter_plans(history: History, runs: Path, problems: list[FileError]) -> set[str]:
    """Enters the plans; returns the ids of their runs."""
    known: set[str] = set()
    for path in sorted((runs / PLANS).glob("*.json")):
        try:
            run = read_plan_file(path)
        except FileError as problem:
            problems.append(problem)
            continue
        history.add_run(run)
        known.add(run.id)
    return known


def _record_files(runs: Path) -> Iterator[Path]:
    """The ``trial.json`` files, those of one trial in the order in which it was tried.

    Folders of trials are not entered: what an agent left in them may hold a file of any name.
    """
    for folder, subfolders, names in os.walk(runs):
        path = Path(folder) / TRIAL_FILE
        if TRIAL_FILE in names and path.is_file() and not path.is_symlink():
            yield path
        if TRIAL_FILE in names or is_trial_folder(Path(folder).name):
            subfolders.clear()
        # The names of the folders of trials begin with the time.
        subfolders.sort()


def _read(path: Path, plans: set[str], problems: list[FileError], runs: Path) -> TrialRecord | None:
    try:
        record = read_record(path)
    except FileError as problem:
        problems.append(problem)
        return None
    if record.key.run not in plans:
        problems.append(FileError(path, f"its run {record.key.run} has no plan in {runs / PLANS}"))
        return None
    return record


def _enter(history: History, batch: Sequence[tuple[Path, TrialRecord]], problems: list[FileError]) -> None:
    """Enters a batch at once; if that fails, one by one, so that a bad record takes no good one with it."""
    try:
        history.add_records([record for _, record in batch])
    except HistoryError:
        for path, record in batch:
            try:
                history.add_records([record])
            except HistoryError as error:
                problems.append(FileError(path, error.message))
