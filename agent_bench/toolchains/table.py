"""All toolchains by name."""

from importlib import import_module
from importlib.metadata import entry_points

from agent_bench.errors import UsageError, unknown_name
from agent_bench.toolchains.interface import Toolchain

_TOOLCHAINS = {
    "pytest": "agent_bench.toolchains.pytest:PytestToolchain",
    "vitest": "agent_bench.toolchains.vitest:VitestToolchain",
    "maven": "agent_bench.toolchains.maven:MavenToolchain",
    "go": "agent_bench.toolchains.go:GoToolchain",
    "cargo": "agent_bench.toolchains.cargo:CargoToolchain",
    "ctest": "agent_bench.toolchains.ctest:CtestToolchain",
}
"""Name -> module:class, loaded when needed. Packages add theirs as entry points ``agent_bench.toolchains``."""


def _plugins() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group="agent_bench.toolchains")}


_OF_LANGUAGE = {
    "python": "pytest",
    "typescript": "vitest",
    "javascript": "vitest",
    "java": "maven",
    "go": "go",
    "rust": "cargo",
    "cpp": "ctest",
}
"""Language of a task -> the toolchain that runs its tests. A package's toolchain is named like its language."""


def toolchain_of(language: str) -> str:
    """The name of a language's toolchain. Raises ``UsageError`` if there is none."""
    if language not in _OF_LANGUAGE and language not in _plugins():
        raise unknown_name("language", language, languages())
    return _OF_LANGUAGE.get(language, language)


def languages() -> list[str]:
    """The languages that there is a toolchain for."""
    return [*_OF_LANGUAGE, *_plugins()]


def toolchain_names() -> list[str]:
    """The names of all toolchains."""
    return [*_TOOLCHAINS, *_plugins()]


def find_toolchain(name: str) -> Toolchain:
    """The toolchain of that name. Raises ``UsageError`` if there is none, or if its package is broken."""
    place = _TOOLCHAINS.get(name) or _plugins().get(name)
    if place is None:
        raise unknown_name("toolchain", name, [*_TOOLCHAINS, *_plugins()])
    module, _, attribute = place.partition(":")
    try:
        toolchain: Toolchain = getattr(import_module(module), attribute)()
    except Exception as error:
        raise UsageError(f"toolchain '{name}' ({place}) cannot be loaded: {type(error).__name__}: {error}") from error
    return toolchain
