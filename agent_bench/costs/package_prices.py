"""Prices of models that our list lacks: the data that comes with the ``genai-prices`` package, read offline."""

from typing import Any

from agent_bench.costs.price import Price


def find_in_package(model: str) -> tuple[str, Price] | None:
    """The package's name and price for a model; None: it knows none, or no price.

    The price is the base one. The package's own sum would take the long-context tier for the tokens of many calls
    together, though each call may have been short.
    """
    # Imported here: it takes long, and is rarely needed.
    from genai_prices import Usage, calc_price

    first, _, rest = model.partition("/")
    for name, provider in ((rest, first), (model.rpartition("/")[2], None)):
        if not name:
            continue
        try:
            found = calc_price(Usage(), model_ref=name, provider_id=provider)
        except (LookupError, ValueError):
            continue
        price = _price(found.model_price)
        if price is not None:
            return str(found.model.id), price
    return None


def _price(listed: Any) -> Price | None:
    given, answered = _base(listed.input_mtok), _base(listed.output_mtok)
    # Free and subscription offers are listed without any price: that is unknown, not 0.
    if given is None or answered is None:
        return None
    return Price(
        input=given,
        output=answered,
        cache_read=_base(listed.cache_read_mtok),
        cache_write=_base(listed.cache_write_mtok),
    )


def _base(amount: Any) -> float | None:
    return None if amount is None else float(getattr(amount, "base", amount))
