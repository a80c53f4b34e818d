"""Runs in a process of its own: does with the agent's package what it is told, and prints what came of it."""

import datetime
import json
import sys

sys.path.insert(0, ".")

from inventory import Reservation, Stock, StockError, load, save  # noqa: E402


def words(value):
    if isinstance(value, Reservation):
        until = None if value.until is None else value.until.isoformat()
        return [value.id, value.sku, value.quantity, value.customer, until]
    if isinstance(value, list):
        return [words(one) for one in value]
    return value if isinstance(value, int | str | None) else "something"


def step(stock, action, arguments):
    arguments = [
        datetime.date.fromisoformat(one[1:]) if isinstance(one, str) and one.startswith("@") else one
        for one in arguments
    ]
    if action == "low":
        return [item.sku for item in stock.low()]
    if action == "quantity":
        return stock.get(*arguments).quantity
    return words(getattr(stock, action)(*arguments))


stock = Stock()
for line in sys.stdin:
    action, *arguments = json.loads(line)
    try:
        if action == "load":
            found, stock = None, load(*arguments)
        elif action == "save":
            found = save(stock, *arguments)
        else:
            found = step(stock, action, arguments)
    except StockError as error:
        found = {"error": str(error)}
    print(json.dumps(found), flush=True)
