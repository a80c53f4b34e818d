"""What tokens cost: our dated price list first, then the data of the ``genai-prices`` package, else unknown."""

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from agent_bench.costs.package_prices import find_in_package
from agent_bench.costs.price import Cost, Price, cost_at
from agent_bench.errors import FileError
from agent_bench.model import Frozen, Usage

_DATED = re.compile(r"(?:-(?:\d{8}|\d{4}-\d{2}-\d{2})|-latest|@\d{8})$")
_PRICE_KEYS = ("input", "output", "cache_read", "cache_write")
_KEYS = (*_PRICE_KEYS, "aliases")


class PriceTable(Frozen):
    """A price list."""

    as_of: date
    """Of its oldest part."""
    source: str
    prices: Mapping[str, Price]
    """By model."""

    def find(self, model: str) -> str | None:
        """The list's name for a model: itself, an alias, without its provider, or without its date."""
        names = {alias: name for name, price in self.prices.items() for alias in price.aliases}
        names |= {name: name for name in self.prices}
        return next((names[candidate] for candidate in _candidates(model) if candidate in names), None)

    def cost(self, model: str | None, usage: Usage) -> Cost:
        """The cost of a usage. Counts that are unknown are not priced, and the note says so."""
        if usage.input_tokens is None and usage.output_tokens is None:
            return Cost(usd=None, note="tokens unknown")
        if not model:
            return Cost(usd=None, note="model unknown")
        name = self.find(model)
        if name is not None:
            return cost_at(self.prices[name], name, usage)
        return self._by_package(model, usage)

    def _by_package(self, model: str, usage: Usage) -> Cost:
        found = find_in_package(model)
        if found is None:
            return Cost(usd=None, note=f"no price known for model '{model}'")
        name, price = found
        if name in self.prices:
            # The package knew the model under another name; what our list says of it goes first.
            return cost_at(self.prices[name], name, usage)
        cost = cost_at(price, name, usage)
        return cost.model_copy(update={"note": "; ".join(filter(None, ("price by genai-prices", cost.note)))})


def _candidates(model: str) -> list[str]:
    """Names under which a model may be listed, the most exact first."""
    exact = model.strip()
    names = [exact, exact.lower()]
    # Claude Code marks its long-context variants so: "claude-sonnet-4-6[1m]".
    names += [re.sub(r"\[\w+\]$", "", name) for name in names]
    names += [name.rsplit("/", 1)[-1] for name in names]
    # Bedrock and others: "us.anthropic.claude-…-v1:0", "anthropic:claude-…".
    names += [
        re.sub(r"^(?:[a-z]{2,6}\.)?[a-z]+[.:](?=[a-z])", "", re.sub(r"-v\d+(?::\d+)?$", "", name)) for name in names
    ]
    names += [_DATED.sub("", name) for name in names]
    return [name for name in dict.fromkeys(names) if name]


def parse_prices(text: str, path: Path, *, base: PriceTable | None = None) -> PriceTable:
    """The price list in a TOML text; with ``base``, laid over it. Raises ``FileError`` naming the key."""
    data = _load(text, path)
    as_of = data.get("as_of")
    if not isinstance(as_of, date) or isinstance(as_of, datetime):
        raise FileError(path, f"found {as_of!r}, expected a date such as 2026-12-01", field="as_of")
    source = data.get("source", "")
    if not isinstance(source, str):
        raise FileError(path, f"found {source!r}, expected a text", field="source")
    models = data.get("models", {})
    if not isinstance(models, dict):
        raise FileError(path, "expected a table of models", field="models")
    prices = {name: _parse_price(name, entry, path, as_of) for name, entry in models.items()}
    _check_names(prices, path)
    if base is None:
        return PriceTable(as_of=as_of, source=source, prices=prices)
    return PriceTable(
        as_of=min(as_of, base.as_of),
        source="; ".join(filter(None, (f"{path}: {source}" if source else str(path), base.source))),
        prices=_lay_over(base.prices, prices),
    )


def _load(text: str, path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(path, f"not readable as TOML: {error}") from error
    unknown = set(data) - {"as_of", "source", "models"}
    if unknown:
        raise FileError(path, "unknown key", field=min(unknown), hint="allowed: as_of, source, models")
    return data


def _parse_price(name: str, entry: Any, path: Path, as_of: date) -> Price:
    field = f"models.{name}"
    if not isinstance(entry, dict):
        raise FileError(path, f"found {entry!r}, expected a table", field=field)
    for key, value in entry.items():
        if key not in _KEYS:
            raise FileError(path, "unknown key", field=f"{field}.{key}", hint=f"allowed: {', '.join(_KEYS)}")
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if key != "aliases" and not (is_number and 0 <= value < float("inf")):
            raise FileError(path, f"found {value!r}, expected USD per million tokens", field=f"{field}.{key}")
    aliases = entry.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise FileError(path, f"found {aliases!r}, expected a list of names", field=f"{field}.aliases")
    missing = [key for key in ("input", "output") if key not in entry]
    if missing:
        raise FileError(path, f"missing: {', '.join(missing)}", field=field)
    return Price(**{**entry, "aliases": tuple(aliases), "as_of": as_of})


def _check_names(prices: Mapping[str, Price], path: Path) -> None:
    """Each name must stand for one model: else the price would depend on the order of the file."""
    owner = {name: name for name in prices}
    for name, price in prices.items():
        for alias in price.aliases:
            if owner.setdefault(alias, name) != name:
                raise FileError(path, f"'{alias}' is a name of '{owner[alias]}' too", field=f"models.{name}.aliases")


def _lay_over(base: Mapping[str, Price], own: Mapping[str, Price]) -> dict[str, Price]:
    """The own prices, and of the base whatever these do not name."""
    taken = {*own, *(alias for price in own.values() for alias in price.aliases)}
    kept = {
        name: price.model_copy(update={"aliases": tuple(alias for alias in price.aliases if alias not in taken)})
        for name, price in base.items()
        if name not in taken
    }
    return {**kept, **own}
