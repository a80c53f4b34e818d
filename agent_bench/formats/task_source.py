"""The file that a task is read from, and the folders that it names."""

import re
from dataclasses import dataclass
from pathlib import Path

from agent_bench.errors import FileError
from agent_bench.formats.digest import material
from agent_bench.readers.strict_yaml import MAX_CHARS, Located

_MAX_BYTES = 4 * MAX_CHARS
"""A character has four bytes at most."""

_ID_LINE = re.compile(r"""^[ \t{]*["']?id["']?[ \t]*:[ \t]*["']?([^\s"'#,}]+)""", re.MULTILINE)


def read_task_text(path: Path) -> str:
    """The text of a task's file. Raises ``FileError``."""
    try:
        with path.open("rb") as reader:
            content = reader.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise FileError(path, f"more than {_MAX_BYTES >> 20} MiB")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise FileError(path, f"not readable: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(path, f"not UTF-8: byte 0x{content[error.start]:02x}", line=line) from error


def declared_id(path: Path) -> str | None:
    """The id that a file seems to give, found without understanding the file: for one with something wrong in it."""
    try:
        with path.open(encoding="utf-8", errors="replace") as reader:
            found = _ID_LINE.search(reader.read(_MAX_BYTES))
    except OSError:
        return None
    return found[1] if found else None


@dataclass(frozen=True)
class TaskSource:
    """A task's document in a folder of tasks."""

    located: Located
    base: Path
    """The folder of tasks, absolute and without links."""

    def folder(self, relative: str, loc: tuple[str | int, ...]) -> Path:
        """A folder that the task names: below ``base``, without links, and with a file in it. Raises ``FileError``."""
        place = self.base / relative
        if place.resolve() != place or not place.is_relative_to(self.base) or place == self.base:
            raise self.error(f"found '{relative}', expected a folder below {self.base}, and no links", loc)
        if not place.is_dir():
            what = "is a file" if place.exists() else "does not exist"
            raise self.error(f"found '{relative}', which {what}; expected a folder in {self.base}", loc)
        if not material(place):
            raise self.error(f"folder '{relative}' holds no file", loc)
        return place

    def error(self, problem: str, loc: tuple[str | int, ...], hint: str | None = None) -> FileError:
        """The error for a part of the document."""
        field = ".".join(map(str, loc))
        return FileError(self.located.path, problem, field=field, line=self.located.line(loc), hint=hint)
