"""The digest of a task: one hash over everything that can change a result."""

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from agent_bench.errors import FileError
from agent_bench.readers.ignored import counts_as_produced

MAX_FILES = 5_000
MAX_BYTES = 256 << 20


def task_digest(named: Iterable[tuple[str, Path]]) -> str:
    """SHA-256 (hex) over files and folders, each under a name of its own.

    Over every file, sorted by its POSIX path (name/relative path): the path, NUL, the bytes, NUL. Caches and version
    control are left out, so that running a task's tests does not change it. Raises ``FileError`` for links and for
    what is too large to be task material.
    """
    files = {}
    for name, place in named:
        if place.is_dir():
            files.update({f"{name}/{path.relative_to(place).as_posix()}": path for path in material(place)})
        else:
            files[name] = place
    digest = hashlib.sha256()
    for posix, path in sorted(files.items()):
        digest.update(posix.encode("utf-8", "surrogateescape") + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def material(folder: Path) -> list[Path]:
    """The files of a folder of task material. Raises ``FileError``."""
    found, size = [], 0
    for root, folders, names in os.walk(folder):
        for name in [*folders, *names]:
            if Path(root, name).is_symlink():
                raise FileError(Path(root, name), "a link: task material must be plain files")
        for name in names:
            path = Path(root, name)
            if not counts_as_produced(path.relative_to(folder).as_posix()):
                continue
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise FileError(path, "not a regular file")
            found.append(path)
            size += status.st_size
    if len(found) > MAX_FILES or size > MAX_BYTES:
        raise FileError(folder, f"{len(found)} files, {size} bytes: more than {MAX_FILES} files or {MAX_BYTES} bytes")
    return found
