"""The stock in a JSON file."""

import datetime
import json
from dataclasses import asdict
from pathlib import Path

from inventory.stock import Item, Reservation, Stock, StockError

VERSION = 2
WITHOUT_RESERVATIONS = 1


def save(stock, path):
    """Writes the stock to a file; the old content stays until the new one is complete."""
    data = {
        "version": VERSION,
        "items": [asdict(item) for item in stock],
        "last_reservation": stock.last_reservation,
        "reservations": [_as_json(reservation) for reservation in stock.reservations()],
    }
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
    if data.get("version") not in (WITHOUT_RESERVATIONS, VERSION):
        raise StockError(f"{path}: version {data.get('version')} is not known")
    stock = Stock()
    for values in data["items"]:
        item = Item(**values)
        stock.add(item.sku, item.name, item.minimum).quantity = item.quantity
    if data["version"] == VERSION:
        reservations = [_from_json(values) for values in data["reservations"]]
        stock.restore(reservations, data["last_reservation"])
    return stock


def _as_json(reservation):
    until = reservation.until.isoformat() if reservation.until else None
    return {**asdict(reservation), "until": until}


def _from_json(values):
    until = datetime.date.fromisoformat(values["until"]) if values["until"] else None
    return Reservation(**{**values, "until": until})
