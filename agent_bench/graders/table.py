"""All graders by name."""

from importlib import import_module
from importlib.metadata import entry_points

from agent_bench.errors import UsageError, unknown_name
from agent_bench.graders.interface import Grader

_GRADERS = {
    "files": "agent_bench.graders.files:FilesGrader",
    "imports": "agent_bench.graders.imports:ImportsGrader",
    "ruff": "agent_bench.graders.ruff:RuffGrader",
    "pytest": "agent_bench.graders.tests:TestsGrader",
    "command": "agent_bench.graders.command:CommandGrader",
    "withheld_tests": "agent_bench.graders.withheld_tests:WithheldTestsGrader",
    "judge": "agent_bench.graders.judge:JudgeGrader",
}
"""Name -> module:class, loaded when needed. Packages add theirs as entry points ``agent_bench.graders``."""


def _plugins() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group="agent_bench.graders")}


def find_grader(name: str) -> Grader:
    """The grader of that name. Raises ``UsageError`` if there is none, or if its package is broken."""
    place = _GRADERS.get(name) or _plugins().get(name)
    if place is None:
        raise unknown_name("grader", name, [*_GRADERS, *_plugins()])
    module, _, attribute = place.partition(":")
    try:
        grader: Grader = getattr(import_module(module), attribute)()
    except Exception as error:
        raise UsageError(f"grader '{name}' ({place}) cannot be loaded: {type(error).__name__}: {error}") from error
    return grader
