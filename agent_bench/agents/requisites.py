"""What a program needs besides its own file: its interpreter, and the folders that this one is told to look in."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

_MAX_BYTES = 4096
# How pip and uv write a first line that would be too long for the kernel, or has a space in it.
_LONG_FIRST_LINE = re.compile(rb"""'''exec' ("[^"\n]+"|[^\s"]+) """)


@dataclass(frozen=True)
class Requisites:
    """What else must be there, as paths."""

    interpreters: tuple[Path, ...] = ()
    """Programs, to be looked at in their turn."""
    sources: tuple[Path, ...] = ()
    """Folders of code installed in place ("editable")."""


def requisites(places: Sequence[Path], environ: Mapping[str, str]) -> Requisites:
    """What a program needs; PATH in ``environ`` finds the interpreter of ``#!/usr/bin/env NAME``.

    ``places`` are the links that lead to the program, and last the program itself: an interpreter in a virtual
    environment is a link out of it.
    """
    named = interpreter(places[-1], environ)
    environments = dict.fromkeys(folder for place in places for folder in _environments(place))
    found = [path for path in (named, *(base_python(folder) for folder in environments)) if path]
    sources = [source for folder in environments for source in editable_sources(folder)]
    return Requisites(tuple(found), tuple(dict.fromkeys(sources)))


def interpreter(program: Path, environ: Mapping[str, str]) -> Path | None:
    """The interpreter that the first line of a script names; None if it is no script."""
    try:
        with program.open("rb") as reader:
            start = reader.read(_MAX_BYTES)
    except OSError:
        return None
    if not start.startswith(b"#!"):
        return None
    if found := _LONG_FIRST_LINE.search(start):
        return Path(found[1].decode("utf-8", "replace").strip('"'))
    try:
        words = shlex.split(start[2:].split(b"\n", 1)[0].decode("utf-8", "replace"))
    except ValueError:
        return None
    if not words or Path(words[0]).name != "env":
        return Path(words[0]) if words else None
    names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    path = shutil.which(names[0], path=environ.get("PATH")) if names else None
    return Path(path).absolute() if path else None


def _environments(file: Path) -> Iterator[Path]:
    """The virtual environment that a program lies in, if any: ``bin/NAME`` within it."""
    folder = file.parent.parent
    if (folder / "pyvenv.cfg").is_file():
        yield folder


def base_python(environment: Path) -> Path | None:
    """The interpreter that a virtual environment stands on (``home`` in its ``pyvenv.cfg``)."""
    try:
        lines = (environment / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    values = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == "home"]
    return Path(values[0]) / "python3" if values else None


def editable_sources(environment: Path) -> Iterator[Path]:
    """The folders of code that is installed in place in a virtual environment (PEP 610)."""
    for file in sorted(environment.glob("lib/python3*/site-packages/*.dist-info/direct_url.json")):
        try:
            origin = json.loads(file.read_bytes()[:_MAX_BYTES])
            url = urlsplit(origin["url"])
            if origin["dir_info"]["editable"] and url.scheme == "file":
                yield Path(unquote(url.path))
        except (OSError, ValueError, KeyError, TypeError):
            continue


def python_user_base(program: Path, home: Path) -> Path | None:
    """``~/.local`` if the program was installed there by ``pip install --user``; its code lies in a folder of it.

    Such a program finds its code by way of HOME, or of the variable PYTHONUSERBASE.
    """
    base = home / ".local"
    is_script = program.parent == base / "bin" and not program.is_symlink() and _is_python_script(program)
    return base if is_script and any(user_site_folders(base)) else None


def _is_python_script(program: Path) -> bool:
    try:
        with program.open("rb") as reader:
            return re.match(rb"#!.*python", reader.read(_MAX_BYTES)) is not None
    except OSError:
        return False


def user_site_folders(base: Path) -> Iterator[Path]:
    """The folders of code under a user base."""
    yield from sorted(base.glob("lib/python3*/site-packages"))
