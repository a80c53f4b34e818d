"""All adapters by name, and the agents that come with the program."""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from agent_bench.agents.interface import Agent
from agent_bench.errors import UsageError, unknown_name
from agent_bench.model import AgentSpec

CONTROLS = ("noop", "reference")
COMMAND = "command"

_ADAPTERS = {
    "noop": "agent_bench.agents.controls:Noop",
    "reference": "agent_bench.agents.controls:Reference",
    "claude-code": "agent_bench.agents.claude_code:ClaudeCode",
    "autonoma": "agent_bench.agents.autonoma:Autonoma",
    "nexus": "agent_bench.agents.nexus:Nexus",
    "agentforge": "agent_bench.agents.agentforge:AgentForge",
    COMMAND: "agent_bench.agents.command:CommandAgent",
}
"""Name -> module and class, loaded when needed. Packages add theirs as entry points ``agent_bench.agents``."""

_MODEL_VARIABLES = {"claude-code": "ANTHROPIC_MODEL", "autonoma": "AUTONOMA_MODEL", "nexus": "NEXUS_MODEL"}
"""Where the user has set an agent's default model: it becomes part of what is recorded."""


def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group="agent_bench.agents")}


def adapter_names() -> list[str]:
    """The names of all adapters; one that comes with the program hides a package's of the same name."""
    return list(dict.fromkeys([*_ADAPTERS, *_plugins()]))


def find_agent(adapter: str) -> Agent:
    """The adapter of that name. Raises ``UsageError`` if there is none, or if its package is broken."""
    if adapter in _ADAPTERS:
        module, _, attribute = _ADAPTERS[adapter].partition(":")
        built_in: Agent = getattr(import_module(module), attribute)()
        return built_in
    plugin = _plugins().get(adapter)
    if plugin is None:
        raise unknown_name("adapter", adapter, adapter_names())
    try:
        agent: Agent = plugin.load()()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise UsageError(f"adapter '{adapter}' ({plugin.value}) cannot be loaded: {problem}") from error
    return agent


def default_specs(environ: Mapping[str, str] | None = None) -> list[AgentSpec]:
    """The agents that need no configuration: those that are built in and those of installed packages.

    ``environ`` is the user's, for the default models that it may set.
    """
    models = {name: (environ or {}).get(variable) or None for name, variable in _MODEL_VARIABLES.items()}
    return [AgentSpec(name=name, adapter=name, model=models.get(name)) for name in adapter_names() if name != COMMAND]
