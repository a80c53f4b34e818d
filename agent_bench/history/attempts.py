"""Attempts at tasks and whether they were solved: from the history, and from the files that runs leave.

Attempts are read from three kinds of files, told apart by what is in them: ``results.json`` (a ``RunResult``),
``trial.json`` (a ``TrialRecord``), and ``run.json``, the report of ``agent-bench grade`` and of seed 001's harness.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError
from sqlalchemy import select

from agent_bench.errors import FileError
from agent_bench.history.files import TRIAL_FILE, is_trial_folder
from agent_bench.history.queries import Filter
from agent_bench.history.store import History
from agent_bench.history.tables import TrialRow
from agent_bench.model import Outcome, RunResult, Trial, TrialKey, TrialRecord
from agent_bench.statistics.ledger import NOT_STARTED

RUN_FILES = ("results.json", TRIAL_FILE, "run.json")
"""The names under which such files are looked for in folders."""

DRY_RUN, NO_VERDICT = "dry_run", "no_verdict"
"""Why an attempt does not count, besides the outcomes and ``not_started``."""

_T = TrialRow.__table__.c  # type: ignore[attr-defined]
_LISTED = (
    *(_T.run_id, _T.task_id, _T.agent, _T.model, _T.attempt, _T.model_used, _T.task_digest, _T.settings_digest),
    *(_T.agent_version, _T.sandbox, _T.outcome, _T.resolved, _T.dry_run, _T.trial_id),
)


class Attempt(NamedTuple):
    """A trial, as far as it says how difficult its task is."""

    key: TrialKey
    """What the trial is one of: unique."""
    model: str | None
    """The one that answered; else the one asked for."""
    task_digest: str
    """Empty: not known (seed 001 kept none)."""
    settings_digest: str
    agent_version: str | None
    sandbox: str
    outcome: Outcome | None
    """None: planned, without a record."""
    resolved: bool | None
    dry_run: bool
    trial: str
    """Id of the record; empty: there is none, or it is not known."""
    is_summary: bool = False
    """From a ``run.json``: its key names a run that stands for the file."""

    @property
    def not_counted(self) -> str:
        """Why it does not count: an outcome that is none of the agent's, ``not_started``, or one of the reasons
        above. Empty: it counts."""
        if self.dry_run:
            return DRY_RUN
        if self.outcome is None:
            return NOT_STARTED
        if not self.outcome.is_counted:
            return self.outcome.value
        return NO_VERDICT if self.resolved is None else ""


def from_history(history: History, chosen: Filter) -> list[Attempt]:
    """The trials of a selection, those of dry runs and those without a record too."""
    with history.reading() as connection:
        rows = connection.execute(select(*_LISTED).where(*chosen.conditions()).order_by(_T.id))
        return [_of_row(row) for row in rows]


def _of_row(row: Any) -> Attempt:
    return Attempt(
        key=TrialKey(run=row.run_id, task=row.task_id, agent=row.agent, model=row.model or None, attempt=row.attempt),
        model=row.model_used or row.model or None,
        task_digest=row.task_digest,
        settings_digest=row.settings_digest,
        agent_version=row.agent_version,
        sandbox=row.sandbox,
        outcome=Outcome(row.outcome) if row.outcome else None,
        resolved=row.resolved,
        dry_run=row.dry_run,
        trial=row.trial_id or "",
    )


def once(attempts: Iterable[Attempt]) -> list[Attempt]:
    """Each trial once, however often it was found.

    Of several records of one trial (it was run again after a fault) one that counts stands, as in the history. A line
    of a ``run.json`` gives way to the record that it sums up.
    """
    found: dict[TrialKey, Attempt] = {}
    ids: set[str] = set()
    for attempt in sorted(attempts, key=lambda attempt: attempt.is_summary):
        if attempt.is_summary and attempt.trial in ids:
            continue
        ids |= {attempt.trial} if attempt.trial else set()
        known = found.get(attempt.key)
        if known is None or (_weight(attempt) > _weight(known)):
            found[attempt.key] = attempt
    return list(found.values())


def _weight(attempt: Attempt) -> int:
    return 0 if attempt.outcome is None else 1 + attempt.outcome.is_counted


# ------------------------------------------------------------------------------------------------ files
@dataclass(frozen=True)
class Read:
    """What was read from files."""

    attempts: tuple[Attempt, ...]
    files: int
    """How many files they come from."""
    problems: tuple[FileError, ...]
    """Files found in folders that are none of the known kinds; they hide no others."""


def from_files(place: Path) -> Read:
    """The attempts in a file, or in all the files of ``RUN_FILES`` below a folder. Raises ``FileError`` for a file.

    What an agent left is never looked at: it may hold a file of any name. So what lies below the folder of a trial
    is not entered.
    """
    if not place.is_dir():
        return Read(tuple(_attempts(place)), 1, ())
    attempts: list[Attempt] = []
    problems: list[FileError] = []
    count = 0
    for path in _run_files(place):
        try:
            attempts += _attempts(path)
            count += 1
        except FileError as problem:
            problems.append(problem)
    return Read(tuple(attempts), count, tuple(problems))


def _run_files(place: Path) -> Iterator[Path]:
    for folder, subfolders, names in os.walk(place):
        is_trial = TRIAL_FILE in names or is_trial_folder(Path(folder).name)
        paths = [Path(folder) / name for name in ((TRIAL_FILE,) if is_trial else RUN_FILES) if name in names]
        yield from (path for path in paths if path.is_file() and not path.is_symlink())
        if is_trial:
            subfolders.clear()
        subfolders.sort()


def _attempts(path: Path) -> list[Attempt]:
    try:
        content = path.read_bytes()
        data = json.loads(content)
        keys = set(data) if isinstance(data, dict) else set()
        if {"run", "records"} <= keys:
            return _of_result(RunResult.model_validate_json(content))
        if {"record_version", "key"} <= keys:
            return [_of_record(TrialRecord.model_validate_json(content))]
        if {"solver", "tasks"} <= keys:
            return _of_summary(_Summary.model_validate_json(content), hashlib.sha256(content).hexdigest()[:16])
    except OSError as error:
        raise FileError(path, f"not readable: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise FileError(path, first["msg"], field=".".join(map(str, first["loc"]))) from error
    except (ValueError, RecursionError) as error:
        raise FileError(path, f"not JSON: {error}") from error
    raise FileError(path, "not what a run leaves", hint=f"expected one of: {', '.join(RUN_FILES)}")


def _of_result(result: RunResult) -> list[Attempt]:
    recorded = [_of_record(record) for record in result.records]
    known = {attempt.key for attempt in recorded}
    planned = [_of_plan(trial, result.run.dry_run) for trial in result.run.trials if trial.key not in known]
    return [*recorded, *planned]


def _of_record(record: TrialRecord) -> Attempt:
    return Attempt(
        key=record.key,
        model=record.model or record.key.model,
        task_digest=record.task_digest,
        settings_digest=record.settings_digest,
        agent_version=record.agent_version,
        sandbox=record.sandbox,
        outcome=record.outcome,
        resolved=record.score.resolved,
        dry_run=record.dry_run,
        trial=record.id,
    )


def _of_plan(trial: Trial, dry_run: bool) -> Attempt:
    return Attempt(
        key=trial.key,
        model=trial.key.model,
        task_digest=trial.task_digest,
        settings_digest=trial.settings_digest,
        agent_version=trial.agent.version,
        sandbox="",
        outcome=trial.skip,
        resolved=None,
        dry_run=dry_run,
        trial="",
    )


# ---------------------------------------------------------------------------------------------- run.json
class _SummedUp(BaseModel):
    """A task in it; what else is said of the task is not needed here."""

    model_config = ConfigDict(strict=True)

    task_id: str
    resolved: bool | None
    digest: str = ""
    trial: str = ""
    outcome: Outcome = Outcome.COMPLETED
    """Seed 001 graded every trial, and gave neither this nor the two above."""


class _Summary(BaseModel):
    model_config = ConfigDict(strict=True)

    solver: str
    tasks: Sequence[_SummedUp]


def _of_summary(run: _Summary, run_id: str) -> list[Attempt]:
    """``run_id``: it has no id of its own, so its content stands for it, and a copy is the same run."""
    return [
        Attempt(
            key=TrialKey(run=run_id, task=task.task_id, agent=run.solver, model=None, attempt=number),
            model=None,
            task_digest=task.digest,
            settings_digest="",
            agent_version=None,
            sandbox="",
            outcome=task.outcome,
            resolved=task.resolved,
            dry_run=False,
            trial=task.trial,
            is_summary=True,
        )
        for number, task in enumerate(run.tasks, 1)
    ]
