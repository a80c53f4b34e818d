"""The stock in a JSON file."""

import json
from dataclasses import asdict
from pathlib import Path

from inventory.stock import Item, Stock, StockError

VERSION = 1


def save(stock, path):
    """Writes the stock to a file; the old content stays until the new one is complete."""
    data = {"version": VERSION, "items": [asdict(item) for item in stock]}
    path = Path(path)
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    temporary.replace(path)


def load(path):
    """The stock in a file; an empty one if there is no such file."""
    path = Path(path)
    if not path.exists():
        return Stock()
    data = json.loads(path.read_text(encoding="utf-8"))
    if data.get("version") != VERSION:
        raise StockError(f"{path}: version {data.get('version')} is not known")
    stock = Stock()
    for values in data["items"]:
        item = Item(**values)
        stock.add(item.sku, item.name, item.minimum).quantity = item.quantity
    return stock
