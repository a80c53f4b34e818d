"""The contract of a format: files of tasks in, ``Task`` out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from agent_bench.model import Task


class Format(Protocol):
    """A format. Stateless."""

    name: str

    def find(self, folder: Path) -> Sequence[Path]:
        """The files in a folder of tasks that are of this format, sorted; reads nothing but names."""

    def load(self, path: Path, folder: Path) -> Task:
        """The task in a file of ``folder``. Raises ``FileError``."""
