"""``agent-bench pricing``: the prices that costs are computed from."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from agent_bench.cli import options
from agent_bench.cli.loading import load_prices, load_settings
from agent_bench.cli.output import cells, emit_json, results_console, show, table
from agent_bench.reports import figures

app = typer.Typer(add_completion=False)


@app.command()
def pricing(
    file: Annotated[
        Path | None, typer.Option("--pricing", metavar="FILE", help="Prices laid over the shipped ones.")
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """The prices that costs are computed from, in USD per million tokens."""
    prices = load_prices(load_settings({"pricing": file}))
    if json:
        emit_json(prices.model_dump(mode="json"))
        return
    console = results_console()
    columns = ("model", "input", "output", "cache read", "cache write")
    listing = table(console, columns, right=frozenset(columns[1:]))
    for name, price in prices.prices.items():
        numbers = (price.input, price.output, price.cache_read, price.cache_write)
        listing.add_row(*cells(name, *(figures.UNKNOWN if n is None else f"{n:g}" for n in numbers)))
    words = f"USD per million tokens, as of {prices.as_of}; other models: the data of genai-prices; else unknown"
    show(console, listing, Text(words))
