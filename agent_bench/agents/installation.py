"""Where a program is installed: what a sandbox must show so that it runs, though it hides the user's HOME.

A program under HOME (nvm, pyenv, ``~/.local/bin``, an npm prefix, a virtual environment) is seldom one file: it is a
link to a package folder, started by an interpreter that lies elsewhere. All of these are found by following links
and ``#!`` lines; HOME itself and the folders in it that hold a person's things are never shown whole.
"""

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

_SYSTEM = (Path("/usr"), Path("/bin"), Path("/sbin"), Path("/lib"), Path("/lib64"), Path("/opt"))
_BIN = frozenset({"bin", "sbin", "shims"})
_OURS = frozenset({"runs", "tasks", "bench.db", ".git"})
"""A folder that holds one of these is somebody's project, not an installation."""
_MAX_STEPS = 12


def install_roots(program: Path, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """The files and folders outside the system that a program needs to be readable, in the order found."""
    home = Path(environ.get("HOME") or "/nonexistent")
    found: dict[Path, None] = {}
    waiting, steps = [program], 0
    while waiting and steps < _MAX_STEPS:
        steps += 1
        current = waiting.pop(0)
        for place in _links(current):
            if not _is_system(place):
                found[_root_of(place, home)] = None
        target = Path(os.path.realpath(current))
        waiting += [step for step in (_interpreter(target, environ), _base_python(target)) if step]
    return tuple(found)


def search_path(roots: tuple[Path, ...], program: Path) -> tuple[Path, ...]:
    """The folders to put on PATH: the program's own, and the ``bin`` folders of what is shown."""
    folders = [program.parent, *(root / name for root in roots for name in ("bin", "shims"))]
    folders += [root.parent for root in roots if root.is_file()]
    return tuple(dict.fromkeys(folder for folder in folders if folder.is_dir() and not _is_system(folder)))


def _links(path: Path) -> Iterator[Path]:
    """The path and every target on its way, if it is a link, with the folders as they are written."""
    for _ in range(_MAX_STEPS):
        yield path
        if not path.is_symlink():
            break
        path = Path(os.path.normpath(path.parent / os.readlink(path)))
    # Links among the parent folders lead elsewhere as well.
    yield Path(os.path.realpath(path))


def _is_system(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _SYSTEM)


def _root_of(place: Path, home: Path) -> Path:
    """What to show for a file: its installation's folder, or the file alone where that would show too much."""
    modules = [parent for parent in place.parents if parent.name == "node_modules"]
    if modules:
        return modules[-1]
    parent = place.parent
    folder = parent.parent if parent.name in _BIN else parent
    return place if _is_private(folder, home) else folder


def _is_private(folder: Path, home: Path) -> bool:
    """Whether a folder holds more than an installation."""
    if home.is_relative_to(folder) or len(folder.parts) < 3:
        return True
    if folder.parent == home and folder.name in (".local", ".config", ".cache", ".ssh", "bin"):
        return True
    return any((folder / name).exists() for name in _OURS) and not (folder / "pyvenv.cfg").exists()


def _interpreter(program: Path, environ: Mapping[str, str]) -> Path | None:
    """The interpreter in the first line of a script; for ``env NAME`` the one on the PATH."""
    try:
        with program.open("rb") as reader:
            line = reader.readline(512)
    except OSError:
        return None
    if not line.startswith(b"#!"):
        return None
    words = shlex.split(line[2:].decode("utf-8", "replace"))
    if not words:
        return None
    if Path(words[0]).name != "env":
        return Path(words[0])
    names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    found = shutil.which(names[0], path=environ.get("PATH")) if names else None
    return Path(found) if found else None


def _base_python(program: Path) -> Path | None:
    """For an interpreter of a virtual environment: the one that the environment stands on."""
    for folder in (program.parent.parent, program.parent):
        try:
            lines = (folder / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            continue
        for line in lines:
            name, _, value = line.partition("=")
            if name.strip() == "home":
                return Path(value.strip()) / "python3"
    return None
