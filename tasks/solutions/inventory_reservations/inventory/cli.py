"""The command line."""

import argparse
import datetime
import re
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
        reserved = item.quantity - stock.available(item.sku)
        note = f"\t{reserved} reserved" if reserved else ""
        print(f"{item.sku}\t{item.name}\t{item.quantity}{note}")


def _low(stock, options):
    for item in stock.low():
        print(item.sku)


def _reserve(stock, options):
    print(stock.reserve(options.sku, options.quantity, options.customer, options.until).id)


def _release(stock, options):
    stock.release(options.id)


def _fulfil(stock, options):
    stock.fulfil(options.id)


def _expire(stock, options):
    for reservation in stock.expire(options.today or datetime.date.today()):
        print(reservation.id)


def _reservations(stock, options):
    for one in stock.reservations(options.sku):
        print(f"{one.id}\t{one.sku}\t{one.quantity}\t{one.customer}\t{one.until or '-'}")


def _date(text):
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected a date such as 2026-12-31, found '{text}'")
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"there is no date '{text}'") from None


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
    _add_reservations(commands)
    return parser


def _add_reservations(commands):
    reserve = commands.add_parser("reserve", help="keep goods for a customer")
    reserve.add_argument("sku")
    reserve.add_argument("quantity", type=int)
    reserve.add_argument("customer")
    reserve.add_argument("--until", type=_date, metavar="DATE", help="the last day it holds")
    reserve.set_defaults(run=_reserve)
    release = commands.add_parser("release", help="give a reservation up")
    release.add_argument("id")
    release.set_defaults(run=_release)
    fulfil = commands.add_parser("fulfil", help="ship the goods of a reservation")
    fulfil.add_argument("id")
    fulfil.set_defaults(run=_fulfil)
    expire = commands.add_parser("expire", help="give up the reservations that are over")
    expire.add_argument("--today", type=_date, metavar="DATE")
    expire.set_defaults(run=_expire)
    reservations = commands.add_parser("reservations", help="all reservations")
    reservations.add_argument("--sku", help="of this item only")
    reservations.set_defaults(run=_reservations)


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
