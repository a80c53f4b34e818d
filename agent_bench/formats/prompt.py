"""Prompt tasks: one YAML file each, straight in the folder of tasks. The form is that of seed 002, with additions."""

from collections.abc import Sequence
from pathlib import Path

from agent_bench.formats.digest import task_digest
from agent_bench.formats.prompt_checks import checks_of
from agent_bench.formats.prompt_keys import PromptKeys
from agent_bench.formats.task_source import TaskSource, read_task_text
from agent_bench.model import Check, Environment, Limits, Task
from agent_bench.readers.strict_yaml import load_yaml, parse

_SUFFIXES = (".yaml", ".yml")


class PromptFormat:
    """Reads prompt tasks."""

    name = "prompt"

    def find(self, folder: Path) -> Sequence[Path]:
        """The YAML files straight in the folder; hidden ones are not tasks."""
        return sorted(
            path
            for path in folder.iterdir()
            if path.suffix in _SUFFIXES and not path.name.startswith(".") and path.is_file()
        )

    def load(self, path: Path, folder: Path) -> Task:
        """The task in a file. Raises ``FileError``."""
        located = load_yaml(read_task_text(path), path)
        return _task(parse(located, PromptKeys), TaskSource(located, folder.resolve()))


def _task(keys: PromptKeys, source: TaskSource) -> Task:
    path = source.located.path
    workspace = source.folder(keys.workspace, ("workspace",)) if keys.workspace else None
    solution = source.folder(keys.solution, ("solution",)) if keys.solution else None
    checks = checks_of(keys, source)
    scripts = _scripts(checks)
    hidden = tuple(place for place in (solution, *scripts) if place is not None)
    for place in hidden:
        if workspace and (place.is_relative_to(workspace) or workspace.is_relative_to(place)):
            raise source.error(f"the agent would be given '{place.name}', which is hidden from it", ("workspace",))
    named = [("task", path), ("workspace", workspace), ("solution", solution)]
    named += [(f"check/{number}", place) for number, place in enumerate(scripts)]
    return Task(
        id=keys.id,
        format=PromptFormat.name,
        digest=task_digest((name, place) for name, place in named if place is not None),
        title=keys.title or _title(keys.id),
        instruction=keys.prompt,
        language=keys.language,
        difficulty=keys.difficulty,
        tags=keys.tags,
        limits=Limits(agent_sec=float(keys.timeout_sec)),
        workspace=workspace,
        environment=Environment(**keys.environment.model_dump()),
        checks=checks,
        solution=solution,
        hidden=hidden,
        source=path.resolve(),
    )


def _scripts(checks: Sequence[Check]) -> list[Path]:
    """The folders of the author's scripts, each once."""
    return list(dict.fromkeys(Path(check.options["files"]) for check in checks if "files" in check.options))


def _title(task_id: str) -> str:
    words = task_id.replace("_", " ").replace("-", " ").replace("/", ": ")
    return words[:1].upper() + words[1:]
