"""The files that are the record: where they lie, and how they are written so that a crash leaves no half file.

``runs/<agent>/<task id>/<timestamp>/trial.json`` holds a finished trial, ``runs/.plans/<run>.json`` a run's plan.
"""

import os
import re
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from agent_bench.errors import FileError, UsageError, unknown_name
from agent_bench.model import Run, TrialRecord

_Kept = TypeVar("_Kept", bound=BaseModel)

PLANS = ".plans"
TRIAL_FILE = "trial.json"
_TRIAL_FOLDER = re.compile(r"\d{8}T\d{6}Z-\d+-[0-9a-f]{6}")


def write_durably(path: Path, text: str | Iterable[str]) -> None:
    """Writes a file, at once or piece by piece, so that after a crash the old content or the new is there, whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as writer:
            writer.writelines([text] if isinstance(text, str) else text)
            writer.flush()
            os.fsync(writer.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    # The rename itself is durable only once the folder is; Windows cannot open one.
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def new_trial_folder(runs: Path, agent: str, task: str, attempt: int, now: datetime) -> Path:
    """Makes and returns an empty folder for one try of a trial, its name unique and sorting by time."""
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    folder = runs.absolute() / agent / task / f"{stamp}-{attempt}-{secrets.token_hex(3)}"
    for part in ("traces", "logs"):
        (folder / part).mkdir(parents=True)
    return folder


def is_trial_folder(name: str) -> bool:
    """Whether a folder of this name is one of ``new_trial_folder``."""
    return _TRIAL_FOLDER.fullmatch(name) is not None


def write_record(record: TrialRecord) -> None:
    """Writes the record into its own folder. Afterwards the trial is finished for good."""
    write_durably(Path(record.workdir) / TRIAL_FILE, record.model_dump_json(indent=1) + "\n")


def write_plan(runs: Path, run: Run) -> None:
    """Writes a run's plan, before its first trial starts."""
    write_durably(runs / PLANS / f"{run.id}.json", run.model_dump_json(indent=1) + "\n")


def read_plan(runs: Path, run_id: str) -> Run:
    """The plan of a run, by its id or the start of it. Raises ``UsageError`` or ``FileError``."""
    known = sorted(path.stem for path in (runs / PLANS).glob("*.json"))
    matching = [name for name in known if name == run_id] or [name for name in known if name.startswith(run_id)]
    if not matching:
        raise unknown_name("run", run_id, known[-10:])
    if len(matching) > 1:
        raise UsageError(f"'{run_id}' is the start of {len(matching)} runs", f"one of: {', '.join(matching)}")
    return read_plan_file(runs / PLANS / f"{matching[0]}.json")


def read_plan_file(path: Path) -> Run:
    """The plan in a file. Raises ``FileError``."""
    return _read(Run, path, "the plan of a run")


def read_record(path: Path) -> TrialRecord:
    """The record in a ``trial.json``. Raises ``FileError``."""
    return _read(TrialRecord, path, "the record of a trial")


def _read(kind: type[_Kept], path: Path, what: str) -> _Kept:
    try:
        return kind.model_validate_json(path.read_bytes())
    except OSError as error:
        raise FileError(path, f"not readable as {what}: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise FileError(path, f"not {what}: {first['msg']}", field=field) from error
