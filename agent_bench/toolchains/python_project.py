"""What a Python project says it needs, read without running any of it. Everything here is hostile input."""

import codecs
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from agent_bench.evidence import read_regular
from agent_bench.workspace import shown

_PROJECT = "pyproject.toml"
_FILES = ("requirements*.txt", "*-requirements.txt", "*_requirements.txt", "requirements/*.txt")
_GROUPS = frozenset({"dev", "test", "tests", "testing"})
_MAX_FILES = 10
_MAX_BYTES = 1 << 20
_MAX_REQUIREMENTS = 200
_MAX_REFUSED = 20
# An installer takes such a name for a file in its folder.
_ARCHIVE = re.compile(r"\.(whl|zip|egg|tar|tgz|gz|bz2|xz|zst)$", re.IGNORECASE)
_INCLUDE = re.compile(r"(?:-r|--requirement)[ =]\s*(\S+)")


@dataclass(frozen=True)
class Declared:
    """The requirements that a project declares."""

    requirements: tuple[str, ...]
    """PEP 508, packages by name only."""
    refused: tuple[str, ...]
    """What was left out, escaped: links, paths, options, and what cannot be read."""


def project_folder(files: Iterable[str]) -> str:
    """The folder, relative, that the project lies in: the root or, as long as it holds nothing but one folder, that."""
    paths = [path.split("/") for path in files]
    depth = 0
    while paths and len({path[depth] for path in paths}) == 1 and all(len(path) > depth + 1 for path in paths):
        depth += 1
    return "/".join(paths[0][:depth]) if paths else ""


def declared_requirements(folder: Path, files: Collection[str]) -> Declared:
    """The requirements in a project's usual files: requirements*.txt, and in pyproject.toml the dependencies and the
    groups for development and tests.

    ``files`` are the regular files in the folder; nothing else is read. Only packages by name are taken: a URL, a
    path, ``-e`` or any other option could make the installer run or read what the agent chose.
    """
    lists = sorted(path for path in files if any(_matches(path, pattern) for pattern in _FILES))
    found, refused = _Collected(), list[str]()
    for path in lists[:_MAX_FILES]:
        for line in _lines(_text(read_regular(folder / path, _MAX_BYTES))):
            include = _INCLUDE.fullmatch(line)
            if include is None or (PurePosixPath(path).parent / include[1]).as_posix() not in lists:
                found.add(line)
    refused += [f"{shown(path)}: more than {_MAX_FILES} lists" for path in lists[_MAX_FILES:]]
    try:
        content = read_regular(folder / _PROJECT, _MAX_BYTES) if _PROJECT in files else None
        project = tomllib.loads(_text(content))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        project = {}
        refused.append(f"{_PROJECT}: {shown(str(error))[:100]}")
    for text in _of_pyproject(project):
        found.add(text)
    name = _table(project, "project").get("name")
    own = canonicalize_name(name) if isinstance(name, str) else None
    # "project[test]" among its own extras means itself, not a package of that name in the index.
    kept = sorted(text for text, package in found.packages.items() if package != own)
    return Declared(tuple(kept[:_MAX_REQUIREMENTS]), tuple((refused + found.refused)[:_MAX_REFUSED]))


class _Collected:
    """Requirements as they are found."""

    def __init__(self) -> None:
        self.packages: dict[str, str] = {}
        """Requirement to the canonical name of its package."""
        self.refused: list[str] = []

    def add(self, text: str) -> None:
        """Takes a requirement without its hashes and options, or refuses it."""
        try:
            requirement = Requirement(re.split(r"\s--", text, maxsplit=1)[0].strip())
        except InvalidRequirement:
            self.refused.append(shown(text)[:100])
            return
        if requirement.url or _ARCHIVE.search(requirement.name):
            self.refused.append(shown(text)[:100])
        else:
            self.packages[str(requirement)] = canonicalize_name(requirement.name)


def _matches(path: str, pattern: str) -> bool:
    return path.count("/") == pattern.count("/") and fnmatchcase(path, pattern)


def _text(content: bytes | None) -> str:
    """Windows' shell writes UTF-16."""
    content = content or b""
    is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if is_wide else "utf-8-sig", "replace")


def _lines(text: str) -> Iterator[str]:
    """The lines that say something, without comments; a backslash joins a line to the next."""
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        stripped = re.sub(r"(^|\s)#.*", "", line).strip()
        if stripped:
            yield stripped


def _of_pyproject(data: Mapping[str, Any]) -> Iterator[str]:
    """The project's own dependencies, and those of its extras and groups for development and tests."""
    yield from _strings(_table(data, "project").get("dependencies"))
    extras = _table(_table(data, "project"), "optional-dependencies")
    for name in extras.keys() & _GROUPS:
        yield from _strings(extras[name])
    groups = _table(data, "dependency-groups")
    wanted, seen = [*(groups.keys() & _GROUPS)], set[str]()
    while wanted:
        if (name := wanted.pop()) not in seen:
            seen.add(name)
            entries = groups.get(name)
            yield from _strings(entries)
            wanted += [_included(entry) for entry in entries] if isinstance(entries, list) else []


def _included(entry: object) -> str:
    """The group that an entry of another group includes; "" if it includes none."""
    name = entry.get("include-group") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else ""


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
