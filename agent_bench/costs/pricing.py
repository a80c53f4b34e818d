"""What tokens cost: our dated price list first, then the data of the ``genai-prices`` package, else unknown."""

import re
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from agent_bench.errors import FileError
from agent_bench.model import Frozen, Usage

_PER = 1_000_000
_DATED = re.compile(r"(?:-(?:\d{8}|\d{4}-\d{2}-\d{2})|-latest|@\d{8})$")
_PRICE_KEYS = ("input", "output", "cache_read", "cache_write")


class Price(Frozen):
    """USD per million tokens; None: the provider names no such price."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None
    aliases: tuple[str, ...] = ()


class Cost(Frozen):
    """What a usage costs."""

    usd: float | None
    """None: unknown."""
    note: str = ""
    """Why it is unknown, or less than exact."""
    priced_as: str | None = None
    """The model whose price was taken."""


class PriceTable(Frozen):
    """A price list."""

    as_of: date
    source: str
    prices: Mapping[str, Price]
    """By model."""

    def find(self, model: str) -> str | None:
        """The list's name for a model: itself, an alias, without its provider, or without its date."""
        aliases = {alias: name for name, price in self.prices.items() for alias in price.aliases}
        for candidate in _candidates(model):
            if candidate in self.prices:
                return candidate
            if candidate in aliases:
                return aliases[candidate]
        return None

    def cost(self, model: str | None, usage: Usage) -> Cost:
        """The cost of a usage. Counts that are unknown are not priced, and the note says so."""
        if usage.input_tokens is None and usage.output_tokens is None:
            return Cost(usd=None, note="tokens unknown")
        if model is None:
            return Cost(usd=None, note="model unknown")
        name = self.find(model)
        if name is None:
            return _from_package(model, usage)
        return Cost(usd=_price(self.prices[name], usage), note=_unpriced(self.prices[name], usage), priced_as=name)


def _candidates(model: str) -> list[str]:
    """Names under which a model may be listed, the most exact first."""
    names = [model.strip(), model.strip().lower()]
    names += [name.rsplit("/", 1)[-1] for name in names]
    # Bedrock and others: "us.anthropic.claude-…-v1:0", "anthropic:claude-…".
    names += [
        re.sub(r"^(?:[a-z]{2,6}\.)?[a-z]+[.:](?=[a-z])", "", re.sub(r"-v\d+(?::\d+)?$", "", name)) for name in names
    ]
    names += [_DATED.sub("", name) for name in names]
    return list(dict.fromkeys(names))


def _price(price: Price, usage: Usage) -> float:
    total = (usage.input_tokens or 0) * price.input + (usage.output_tokens or 0) * price.output
    # Where a provider lists no price of its own for cached tokens, they are plain input.
    total += (usage.cache_read_tokens or 0) * (price.input if price.cache_read is None else price.cache_read)
    total += (usage.cache_write_tokens or 0) * (price.input if price.cache_write is None else price.cache_write)
    return total / _PER


def _unpriced(price: Price, usage: Usage) -> str:
    del price
    unknown = [
        words for words, count in (("input", usage.input_tokens), ("output", usage.output_tokens)) if count is None
    ]
    return f"at least: {' and '.join(unknown)} tokens unknown" if unknown else ""


def _from_package(model: str, usage: Usage) -> Cost:
    """The price by the data that comes with ``genai-prices`` (imported here: it takes long)."""
    from genai_prices import Usage as PackageUsage
    from genai_prices import calc_price

    cache_read, cache_write = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    # The package counts cached tokens as part of the input.
    counts = PackageUsage(
        input_tokens=(usage.input_tokens or 0) + cache_read + cache_write,
        output_tokens=usage.output_tokens or 0,
        cache_read_tokens=cache_read,
        cache_write_tokens=cache_write,
    )
    provider, _, bare = model.rpartition("/")
    for name, provider_id in ((bare, provider or None), (bare, None), (model, None)):
        try:
            found = calc_price(counts, model_ref=name, provider_id=provider_id)
        except (LookupError, ValueError):
            continue
        return Cost(usd=float(found.total_price), note="price by genai-prices", priced_as=str(found.model.id))
    return Cost(usd=None, note=f"no price known for model '{model}'")


def parse_prices(text: str, path: Path, *, base: PriceTable | None = None) -> PriceTable:
    """The price list in a TOML text; with ``base``, laid over it. Raises ``FileError`` naming the key."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(path, f"not readable as TOML: {error}") from error
    unknown = set(data) - {"as_of", "source", "models"}
    if unknown:
        raise FileError(path, "unknown key", field=min(unknown), hint="allowed: as_of, source, models")
    as_of = data.get("as_of")
    if not isinstance(as_of, date):
        raise FileError(path, f"found {as_of!r}, expected a date such as 2026-12-01", field="as_of")
    models = data.get("models", {})
    if not isinstance(models, dict):
        raise FileError(path, "expected a table of models", field="models")
    prices = {name: _parse_price(name, entry, path) for name, entry in models.items()}
    merged = {**(base.prices if base else {}), **prices}
    return PriceTable(as_of=as_of, source=str(data.get("source", "")), prices=merged)


def _parse_price(name: str, entry: Any, path: Path) -> Price:
    field = f"models.{name}"
    if not isinstance(entry, dict):
        raise FileError(path, f"found {entry!r}, expected a table", field=field)
    allowed = (*_PRICE_KEYS, "aliases")
    for key, value in entry.items():
        if key not in allowed:
            raise FileError(path, "unknown key", field=f"{field}.{key}", hint=f"allowed: {', '.join(allowed)}")
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if key != "aliases" and not (is_number and 0 <= value < float("inf")):
            raise FileError(path, f"found {value!r}, expected USD per million tokens", field=f"{field}.{key}")
    aliases = entry.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise FileError(path, f"found {aliases!r}, expected a list of names", field=f"{field}.aliases")
    missing = [key for key in ("input", "output") if key not in entry]
    if missing:
        raise FileError(path, f"missing: {', '.join(missing)}", field=field)
    return Price(**{**entry, "aliases": tuple(aliases)})
