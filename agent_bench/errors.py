"""The one tree of errors that a person can mend: a message, a hint, and the exit code it ends the program with.

Only ``cli`` prints errors or exits. Anything that is not an ``AgentBenchError`` is a defect of ours.
"""

from difflib import get_close_matches
from pathlib import Path


class AgentBenchError(Exception):
    """What went wrong in one sentence, and what to do about it."""

    exit_code = 2

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(AgentBenchError):
    """The command line or a setting asks for something that does not exist or contradicts itself."""


class FileError(AgentBenchError):
    """A file is not as its format says: names the file, the field, the line, what was found and what is allowed."""

    def __init__(
        self, path: Path, problem: str, *, field: str = "", line: int | None = None, hint: str | None = None
    ) -> None:
        place = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{place}: {field}: {problem}" if field else f"{place}: {problem}", hint)
        self.path = path
        self.problem = problem
        self.field = field
        self.line = line


class GateFailedError(AgentBenchError):
    """A check that was asked for (a threshold, an expected rate, a valid task) did not hold."""

    exit_code = 1


class NothingCouldRunError(AgentBenchError):
    """No agent is available, or the sandbox that was asked for does not work here."""

    exit_code = 3


class HistoryError(AgentBenchError):
    """The history database cannot be used: corrupt, of a newer version, or not reachable."""

    exit_code = 4


def unknown_name(kind: str, name: str, known: list[str]) -> UsageError:
    """The error for a name that is not in a list: gives the nearest match and the list itself."""
    nearest = get_close_matches(name, known, n=1)
    guess = f"did you mean '{nearest[0]}'? " if nearest else ""
    return UsageError(f"unknown {kind} '{name}'", f"{guess}available: {', '.join(sorted(known)) or 'none'}")
