"""All sandboxes by name."""

from importlib import import_module
from importlib.metadata import entry_points

from agent_bench.errors import NothingCouldRunError, UsageError, unknown_name
from agent_bench.sandboxes.interface import Sandbox

AUTO = "auto"

_SANDBOXES = {
    "bubblewrap": "agent_bench.sandboxes.bubblewrap:Bubblewrap",
    "local": "agent_bench.sandboxes.local:Local",
}
"""Name -> module:class, loaded when needed. Packages add theirs as entry points ``agent_bench.sandboxes``."""


def _plugins() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group="agent_bench.sandboxes")}


def sandbox_names() -> list[str]:
    """The names of all sandboxes."""
    return [*_SANDBOXES, *_plugins()]


def find_sandbox(name: str) -> Sandbox:
    """The sandbox of that name. Raises UsageError if there is none, or if its package is broken."""
    place = _SANDBOXES.get(name) or _plugins().get(name)
    if place is None:
        raise unknown_name("sandbox", name, [AUTO, *_SANDBOXES, *_plugins()])
    module, _, attribute = place.partition(":")
    try:
        sandbox: Sandbox = getattr(import_module(module), attribute)()
    except Exception as error:
        raise UsageError(f"sandbox '{name}' ({place}) cannot be loaded: {type(error).__name__}: {error}") from error
    return sandbox


def choose_sandbox(name: str) -> tuple[Sandbox, str]:
    """The sandbox to use, and a warning to show the user ("" if there is nothing to say).

    ``auto`` is bubblewrap where it works, else local with a warning. Raises NothingCouldRunError if the one
    that was named does not work here, UsageError if there is none of that name.
    """
    sandbox = find_sandbox("bubblewrap" if name == AUTO else name)
    reason = sandbox.unavailable()
    if reason and name != AUTO:
        raise NothingCouldRunError(f"sandbox '{name}' does not work here: {reason}")
    if reason:
        sandbox = find_sandbox("local")
        return sandbox, f"no sandbox: {reason}. {_EXPOSED}"
    return sandbox, "" if sandbox.hides_host else _EXPOSED


_EXPOSED = "Agents run as plain processes that can read and change your files and reach the network"
