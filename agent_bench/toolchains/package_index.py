"""Where uv finds packages on the user's machine.

uv does not read pip's settings: on a machine where pip was told of an index of its own (and pip has just installed
this program) it would find nothing. So where the user tells uv nothing, pip's settings are translated.
"""

import re
from collections.abc import Mapping
from configparser import ConfigParser, Error
from pathlib import Path

from agent_bench.environment import network_environment

_KEPT = ("UV_CACHE_DIR", "UV_CONFIG_FILE", "UV_KEYRING_PROVIDER", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "NETRC")
_CREDENTIALS = re.compile(r"UV_INDEX_\w+_(USERNAME|PASSWORD)")
_SOURCES = ("UV_CONFIG_FILE", "UV_INDEX", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS")
_TRANSLATED = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
}
"""pip's settings and uv's variables for the same."""


def index_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables for uv: the user's own for network, cache and index; else what pip's settings say. Blocks."""
    kept = {name: value for name, value in environ.items() if name in _KEPT or _CREDENTIALS.fullmatch(name)}
    own = {**network_environment(environ), **kept}
    wanted = ("cert",) if any(name in own for name in _SOURCES) else tuple(_TRANSLATED)
    pip = _pip_settings(environ)
    translated = {_TRANSLATED[key]: _translate(key, pip[key]) for key in wanted if key in pip}
    return {**{name: value for name, value in translated.items() if value}, **own}


def _translate(key: str, value: str) -> str:
    """A setting of pip, its parts apart as uv wants them."""
    parts = value.split()
    if key != "find-links":
        return " ".join(parts)
    # pip only warns of a folder that is not there; uv would give up.
    return ",".join(part for part in parts if "://" in part or Path(part).is_dir())


def _pip_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """pip's settings: its variables over the user's files over the system's; what cannot be read is left out."""
    home = Path(environ.get("HOME", "/nonexistent"))
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    named = environ.get("PIP_CONFIG_FILE")
    places = [Path("/etc/pip.conf"), home / ".pip/pip.conf", config / "pip/pip.conf", *([Path(named)] if named else [])]
    found: dict[str, str] = {}
    for place in places:
        parser = ConfigParser(interpolation=None)
        try:
            parser.read(place, encoding="utf-8")
        except (Error, OSError, UnicodeDecodeError):
            continue
        for section in ("global", "install"):
            found |= dict(parser[section]) if parser.has_section(section) else {}
    variables = {key: environ.get(f"PIP_{key.upper().replace('-', '_')}") for key in _TRANSLATED}
    return {**found, **{key: value for key, value in variables.items() if value is not None}}
