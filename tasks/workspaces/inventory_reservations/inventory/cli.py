"""The command line."""

import argparse
import sys

from inventory.stock import StockError
from inventory.storage import load, save


def _add(stock, options):
    stock.add(options.sku, options.name, options.minimum)


def _receive(stock, options):
    stock.receive(options.sku, options.quantity)


def _ship(stock, options):
    stock.ship(options.sku, options.quantity)


def _list(stock, options):
    for item in stock:
        print(f"{item.sku}\t{item.name}\t{item.quantity}")


def _low(stock, options):
    for item in stock.low():
        print(item.sku)


def _parser():
    parser = argparse.ArgumentParser(prog="inventory", description="Stock keeping.")
    parser.add_argument("file", help="the JSON file that holds the stock")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add = commands.add_parser("add", help="a new item")
    add.add_argument("sku")
    add.add_argument("name")
    add.add_argument("--minimum", type=int, default=0)
    add.set_defaults(run=_add)
    for name, run in (("receive", _receive), ("ship", _ship)):
        command = commands.add_parser(name)
        command.add_argument("sku")
        command.add_argument("quantity", type=int)
        command.set_defaults(run=run)
    commands.add_parser("list", help="all items").set_defaults(run=_list)
    commands.add_parser("low", help="what to order").set_defaults(run=_low)
    return parser


def main(arguments=None):
    """Runs one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        stock = load(options.file)
        options.run(stock, options)
        save(stock, options.file)
    except StockError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0
