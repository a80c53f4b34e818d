"""Where a program is installed: what a sandbox must show so that it runs, though it hides the user's HOME.

A program under HOME (nvm, pyenv, ``~/.local/bin``, an npm prefix, uv's tools, a virtual environment) is seldom one
file: it is a link to a package's folder, started by an interpreter that lies elsewhere again. Links are followed one
by one, and for each file on the way the folder of its installation is shown, read-only. HOME itself, and the folders
in it that hold a person's things, are never shown: of these only the one file or link.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent_bench.agents.requisites import python_user_base, requisites, user_site_folders

_SHOWN_ANYWAY = (Path("/usr"), Path("/bin"), Path("/sbin"), Path("/lib"), Path("/lib64"))
"""What every sandbox shows."""
_STORES = (Path("/nix/store"), Path("/gnu/store"), Path("/home/linuxbrew/.linuxbrew"), Path("/opt/homebrew"))
"""Shown whole: the packages in them need one another."""
_BIN = frozenset({"bin", "sbin", "shims", "Scripts"})
_PRIVATE = (
    *(".ssh", ".aws", ".gnupg", ".kube", ".docker", ".cargo", ".config", ".cache", ".local", "bin"),
    *(".local/share", ".local/lib", ".local/state", "Documents", "Desktop", "Downloads", "Library"),
)
"""Under HOME: never shown whole."""
_SECRET = (".ssh", ".aws", ".gnupg", ".kube", ".docker", ".config")
"""Under HOME: no folder within them is shown either."""
_MAX_FILES = 24
"""Files looked at for one program; links and interpreters could lead in circles."""


@dataclass(frozen=True)
class Installation:
    """What programs need besides the system."""

    roots: tuple[Path, ...] = ()
    """Files and folders to show read-only, each at its own place."""
    path: tuple[Path, ...] = ()
    """Folders for the front of PATH."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables without which they would not find their parts in another HOME."""


def installation_of(programs: Sequence[Path], environ: Mapping[str, str]) -> Installation:
    """What the programs (absolute paths) need to run; ``environ`` is the user's, for HOME and PATH."""
    roots: dict[Path, None] = {}
    path: dict[Path, None] = {}
    env: dict[str, str] = {}
    for program in programs:
        found = install_roots(program, environ)
        roots.update(dict.fromkeys(found))
        path.update(dict.fromkeys(search_path(found, program)))
        if base := python_user_base(program, _home(environ)):
            roots.update(dict.fromkeys(user_site_folders(base)))
            env["PYTHONUSERBASE"] = str(base)
    return Installation(tuple(roots), tuple(path), env)


def install_roots(program: Path, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """The files and folders outside the system that a program must be able to read, in the order found."""
    home = _home(environ)
    roots: dict[Path, None] = {}
    waiting, seen = [program], set[Path]()
    while waiting and len(seen) < _MAX_FILES:
        current = waiting.pop(0)
        if current in seen:
            continue
        seen.add(current)
        places = list(_links(current))
        roots.update(dict.fromkeys(_root_of(place, home) for place in places if not _is_shown(place)))
        needs = requisites(places, environ)
        waiting += needs.interpreters
        roots.update(dict.fromkeys(folder for folder in needs.sources if not _is_ours(folder, home)))
    return tuple(roots)


def search_path(roots: Sequence[Path], program: Path) -> tuple[Path, ...]:
    """The folders for PATH: the program's own, and those of what is shown."""
    folders = [program.parent, *(root / name for root in roots for name in ("bin", "shims"))]
    folders += [root.parent for root in roots if root.is_file()]
    return tuple(dict.fromkeys(folder for folder in folders if folder.is_dir() and not _is_shown(folder)))


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or "/nonexistent")


def _links(path: Path) -> Iterator[Path]:
    """The path, every target on its way if it is a link, and last the file itself without any link."""
    for _ in range(_MAX_FILES):
        yield path
        if not path.is_symlink():
            break
        path = Path(os.path.normpath(path.parent / path.readlink()))
    # Links among the parent folders lead elsewhere as well.
    yield Path(os.path.realpath(path))


def _is_shown(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _SHOWN_ANYWAY)


def _root_of(place: Path, home: Path) -> Path:
    """What to show for a file: its installation's folder, or the file alone where that would show too much."""
    for store in _STORES:
        if place.is_relative_to(store):
            return store
    modules = [parent for parent in place.parents if parent.name == "node_modules"]
    if modules:
        return modules[-1]
    parent = place.parent
    if parent.name == "shims" and (parent.parent / "libexec").is_dir():
        # pyenv and its like: the shim starts them, and they the version that is set. They are clones of a
        # repository, which is no project of the user's.
        return parent.parent
    folder = parent.parent if parent.name in _BIN else parent
    return place if _is_private(folder, home) else folder


def _is_private(folder: Path, home: Path) -> bool:
    """Whether a folder holds, or may hold, more than an installation."""
    if len(folder.parts) < 3 or (len(folder.parts) == 3 and folder.parts[1] in ("home", "Users")):
        return True
    if folder.is_relative_to(home):
        inside = folder.relative_to(home)
        if inside.as_posix() in _PRIVATE or inside.parts[:1] in [(name,) for name in _SECRET]:
            return True
    return _is_ours(folder, home) or ((folder / ".git").exists() and not (folder / "pyvenv.cfg").exists())


def _is_ours(folder: Path, home: Path) -> bool:
    """Whether a folder holds HOME, the folder we work in, or what we keep."""
    held = (home, Path(os.path.realpath(home)), _working_folder())
    if any(place.is_relative_to(folder) for place in held):
        return True
    return any((folder / name).exists() for name in ("runs", "tasks", "bench.db"))


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:  # it was removed under our feet
        return Path("/nonexistent")
