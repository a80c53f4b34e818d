"""All adapters by name, and the agents that come with the program."""

from importlib import import_module
from importlib.metadata import entry_points

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


def _plugins() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group="agent_bench.agents")}


def find_agent(adapter: str) -> Agent:
    """The adapter of that name. Raises ``UsageError`` if there is none, or if its package is broken."""
    place = _ADAPTERS.get(adapter) or _plugins().get(adapter)
    if place is None:
        raise unknown_name("adapter", adapter, [*_ADAPTERS, *_plugins()])
    module, _, attribute = place.partition(":")
    try:
        agent: Agent = getattr(import_module(module), attribute)()
    except Exception as error:
        raise UsageError(f"adapter '{adapter}' ({place}) cannot be loaded: {type(error).__name__}: {error}") from error
    return agent


def default_specs() -> list[AgentSpec]:
    """The agents that need no configuration: those that are built in and those of installed packages."""
    names = [name for name in (*_ADAPTERS, *_plugins()) if name != COMMAND]
    return [AgentSpec(name=name, adapter=name) for name in names]
