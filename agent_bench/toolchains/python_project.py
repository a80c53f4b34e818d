"""What a Python project says it needs, read without running any of it."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from agent_bench.evidence import read_regular
from agent_bench.workspace import Scan, shown

_FILES = (
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-test.txt",
    "requirements_dev.txt",
    "dev-requirements.txt",
)
_GROUPS = frozenset({"dev", "test", "tests", "testing"})
_MAX_BYTES = 1 << 20
_MAX_REQUIREMENTS = 200


@dataclass(frozen=True)
class Declared:
    """The requirements that a project declares."""

    requirements: tuple[str, ...]
    """PEP 508, named packages from the index only."""
    refused: tuple[str, ...]
    """What was left out: links, paths, options, and what cannot be read."""


def project_folder(scan: Scan) -> str:
    """The folder, relative, that the project lies in: the root or, if it holds nothing but one folder, that one."""
    prefix = ""
    while True:
        names = {path[len(prefix) :].split("/", 1)[0] for path in scan.files if path.startswith(prefix)}
        has_files = any("/" not in path[len(prefix) :] for path in scan.files if path.startswith(prefix))
        if has_files or len(names) != 1:
            return prefix.rstrip("/")
        prefix += f"{names.pop()}/"


def declared_requirements(folder: Path) -> Declared:
    """The requirements in a project's usual files.

    Only packages by name are taken. A URL, a path, ``-e``, ``-r`` or any other option could make the installer run
    or read what the agent chose.
    """
    lines: list[str] = []
    refused: list[str] = []
    for name in _FILES:
        content = read_regular(folder / name, _MAX_BYTES)
        if content is not None:
            lines += content.decode("utf-8", "replace").replace("\\\n", " ").split("\n")
    content = read_regular(folder / "pyproject.toml", _MAX_BYTES)
    if content is not None:
        try:
            lines += _of_pyproject(tomllib.loads(content.decode("utf-8", "replace")))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            refused.append(f"pyproject.toml: {shown(str(error))[:100]}")
    accepted: dict[str, None] = {}
    for line in lines:
        text = line.split(" #", 1)[0].strip()
        if not text or text.startswith("#"):
            continue
        requirement = _named(text)
        if requirement is None:
            refused.append(shown(text)[:100])
        elif len(accepted) < _MAX_REQUIREMENTS:
            accepted[requirement] = None
    return Declared(tuple(sorted(accepted)), tuple(refused))


def _named(text: str) -> str | None:
    """A requirement for a package by name, without hashes; None if it is anything else."""
    try:
        requirement = Requirement(text.split(" --hash", 1)[0].strip())
    except InvalidRequirement:
        return None
    return None if requirement.url else str(requirement)


def _of_pyproject(data: dict[str, Any]) -> list[str]:
    """The dependencies in a pyproject.toml: the project's own, and those for its tests."""
    project = data.get("project")
    project = project if isinstance(project, dict) else {}
    found = _strings(project.get("dependencies"))
    for table in (project.get("optional-dependencies"), data.get("dependency-groups")):
        if isinstance(table, dict):
            for name, entries in table.items():
                found += _strings(entries) if name in _GROUPS else []
    return found


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
