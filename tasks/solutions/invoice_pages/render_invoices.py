"""Turns invoices in JSON into HTML pages."""

import argparse
import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = Path(__file__).parent / "templates"
CENT = Decimal("0.01")
DECIMAL = re.compile(r"-?\d{1,9}(\.\d{1,4})?", re.ASCII)


@dataclass(frozen=True)
class Line:
    """One line of an invoice; quantity and price as they were written."""

    text: str
    quantity: str
    unit_price: str

    @property
    def amount(self):
        """Quantity times unit price, rounded."""
        return rounded(Decimal(self.quantity) * Decimal(self.unit_price))


@dataclass(frozen=True)
class Invoice:
    """One invoice."""

    number: str
    date: date
    due: date
    currency: str
    tax_percent: Decimal
    customer: str
    lines: tuple[Line, ...]

    @property
    def net(self):
        """The sum of the lines."""
        return sum((line.amount for line in self.lines), Decimal(0))

    @property
    def tax(self):
        """The tax on the net sum, rounded."""
        return rounded(self.net * self.tax_percent / 100)

    @property
    def total(self):
        """Net and tax."""
        return self.net + self.tax


def rounded(amount):
    """An amount in whole cents, half away from zero."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def money(amount, currency):
    """An amount as it is shown; zero has no sign."""
    return f"{amount or Decimal(0):,.2f} {currency}"


class Reader:
    """Reads the input and collects what is wrong with it."""

    def __init__(self):
        self.problems = []

    def read(self, data):
        """The invoices; of those with problems nothing can be used."""
        if not isinstance(data, dict) or set(data) != {"invoices"}:
            self._fail("invoices", "the input must be an object with just this key")
            return []
        if not isinstance(data["invoices"], list):
            self._fail("invoices", "must be a list")
            return []
        entries = enumerate(data["invoices"])
        invoices = [self._invoice(entry, f"invoices[{index}]") for index, entry in entries]
        self._check_numbers(data["invoices"])
        return invoices

    def _fail(self, place, message):
        self.problems.append(f"{place}: {message}")

    def _check_numbers(self, entries):
        seen = set()
        for index, entry in enumerate(entries):
            number = entry.get("number") if isinstance(entry, dict) else None
            if isinstance(number, str):
                if number.lower() in seen:
                    self._fail(f"invoices[{index}].number", f"{number} stands twice")
                seen.add(number.lower())

    def _invoice(self, entry, place):
        keys = ("number", "date", "due_days", "currency", "tax_percent", "customer", "lines")
        values = self._object(entry, place, keys)
        day = self._date(values, place)
        due_days = self._checked(values, place, "due_days", is_count, "a whole number from 0")
        try:
            due = (day or date.min) + timedelta(days=due_days or 0)
        except OverflowError:
            due = None
            self._fail(f"{place}.due_days", "is too large")
        return Invoice(
            number=self._checked(values, place, "number", is_number, "letters, digits and -"),
            date=day,
            due=due,
            currency=self._checked(values, place, "currency", is_currency, "three capital letters"),
            tax_percent=Decimal(
                self._checked(values, place, "tax_percent", is_percent, "a decimal from 0 to 100")
                or 0
            ),
            customer=self._checked(values, place, "customer", is_text, "a text"),
            lines=tuple(self._lines(values, place)),
        )

    def _lines(self, values, place):
        entries = self._checked(values, place, "lines", is_filled_list, "a list with entries")
        for index, entry in enumerate(entries or []):
            yield self._line(entry, f"{place}.lines[{index}]")

    def _line(self, entry, place):
        values = self._object(entry, place, ("text", "quantity", "unit_price"))
        return Line(
            text=self._checked(values, place, "text", is_text, "a text"),
            quantity=self._checked(values, place, "quantity", is_decimal, "a decimal") or "0",
            unit_price=self._checked(values, place, "unit_price", is_decimal, "a decimal") or "0",
        )

    def _object(self, entry, place, keys):
        """The entry, if it is an object; missing and unknown keys are told."""
        if not isinstance(entry, dict):
            self._fail(place, "must be an object")
            return None
        for key in entry:
            if key not in keys:
                self._fail(place, f"unknown key '{key}'")
        for key in keys:
            if key not in entry:
                self._fail(f"{place}.{key}", "is missing")
        return entry

    def _checked(self, values, place, key, is_good, expected):
        if values is None or key not in values:
            return None
        if is_good(values[key]):
            return values[key]
        self._fail(f"{place}.{key}", f"must be {expected}")
        return None

    def _date(self, values, place):
        text = self._checked(values, place, "date", is_date, "a date such as 2026-12-01")
        return date.fromisoformat(text) if text else None


def is_text(value):
    return isinstance(value, str) and value.strip() != ""


def is_number(value):
    found = isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9-]+", value)
    return bool(found) and value.lower() != "index"


def is_currency(value):
    return isinstance(value, str) and bool(re.fullmatch(r"[A-Z]{3}", value))


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_decimal(value):
    return isinstance(value, str) and bool(DECIMAL.fullmatch(value))


def is_percent(value):
    return is_decimal(value) and not value.startswith("-") and Decimal(value) <= 100


def is_filled_list(value):
    return isinstance(value, list) and len(value) > 0


def is_date(value):
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def pages(invoices):
    """The pages by their file names."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["money"] = money
    template = environment.get_template("invoice.html")
    found = {f"{one.number}.html": template.render(invoice=one) for one in invoices}
    sums = defaultdict(Decimal)
    for invoice in invoices:
        sums[invoice.currency] += invoice.total
    in_order = sorted(invoices, key=lambda invoice: (invoice.date, invoice.number))
    index = environment.get_template("index.html")
    found["index.html"] = index.render(invoices=in_order, sums=sorted(sums.items()))
    return found


def main():
    """Runs the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Turn invoices into HTML pages.")
    parser.add_argument("invoices", metavar="INVOICES.json")
    parser.add_argument("output", type=Path, metavar="OUTPUT_FOLDER")
    options = parser.parse_args()
    try:
        data = json.loads(Path(options.invoices).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        print(f"{options.invoices}: {error}", file=sys.stderr)
        return 2
    reader = Reader()
    invoices = reader.read(data)
    if reader.problems:
        print("\n".join(reader.problems), file=sys.stderr)
        return 2
    options.output.mkdir(parents=True, exist_ok=True)
    for name, text in pages(invoices).items():
        (options.output / name).write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
