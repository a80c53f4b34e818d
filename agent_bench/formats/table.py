"""All formats by name."""

from importlib import import_module
from importlib.metadata import entry_points

from agent_bench.errors import UsageError
from agent_bench.formats.interface import Format

_FORMATS = {
    "prompt": "agent_bench.formats.prompt:PromptFormat",
    "verified": "agent_bench.formats.verified:VerifiedFormat",
}
"""Name -> module and class. Packages add theirs as entry points ``agent_bench.formats``."""


def formats() -> list[Format]:
    """Every format. Raises ``UsageError`` if a package's is broken."""
    places = {**_FORMATS, **{point.name: point.value for point in entry_points(group="agent_bench.formats")}}
    return [_load(name, place) for name, place in places.items()]


def _load(name: str, place: str) -> Format:
    module, _, attribute = place.partition(":")
    try:
        loaded: Format = getattr(import_module(module), attribute)()
    except Exception as error:
        raise UsageError(f"format '{name}' ({place}) cannot be loaded: {type(error).__name__}: {error}") from error
    return loaded
