"""The digest of a task: one hash over everything that can change a result."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from agent_bench.errors import FileError
from agent_bench.workspace import scan


def task_digest(named: Iterable[tuple[str, Path]]) -> str:
    """SHA-256 (hex) over files and folders, each under a name of its own.

    Over every file, sorted by its POSIX path (name, or name/relative path): the path, NUL, the bytes, NUL. Caches
    and version control are left out, so that running a task's tests does not change it. Raises ``FileError``.
    """
    files: dict[bytes, Path] = {}
    for name, place in named:
        if place.is_dir():
            files.update({_path_bytes(f"{name}/{path}"): place / path for path in material(place)})
        else:
            files[_path_bytes(name)] = place
    digest = hashlib.sha256()
    for posix, path in sorted(files.items()):
        try:
            digest.update(posix + b"\0" + path.read_bytes() + b"\0")
        except OSError as error:
            raise FileError(path, f"not readable: {error.strerror or error}") from error
    return digest.hexdigest()


def material(folder: Path) -> list[str]:
    """The relative POSIX paths of a folder's files: just those that an agent would be given.

    Raises ``FileError`` for what it would not be given: links, devices, files that are too large or too many.
    """
    found = scan(folder)
    if found.evidence:
        raise FileError(folder, found.evidence[0], hint="a task's folders hold plain files, of a modest size")
    return list(found.files)


def _path_bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
