"""Reconciles a bank statement with a ledger."""

import argparse
import csv
import io
import re
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

BANK = ("date", "description", "amount", "reference")
LEDGER = ("id", "date", "amount", "reference")
STATUSES = ("matched", "amount_differs", "only_bank", "only_ledger")
HEADER = "status,bank_row,ledger_id,date,bank_amount,ledger_amount,difference".split(",")
NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{1,2})?", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """A row of either file."""

    name: str
    """The row's number in the bank's file, the id in the ledger."""
    date: date
    amount: Decimal
    reference: str


@dataclass(frozen=True)
class Pair:
    """A row of the result."""

    status: str
    bank: Entry | None
    ledger: Entry | None


class BadInputError(Exception):
    """What is wrong with the files, one line for each problem."""

    def __init__(self, problems):
        super().__init__("\n".join(problems))
        self.problems = problems


def parse_amount(text):
    """The amount in a text; ValueError if there is none."""
    negative = text.startswith("-") or (text.startswith("(") and text.endswith(")"))
    digits = text[1:-1] if text.startswith("(") and negative else text.removeprefix("-")
    if not NUMBER.fullmatch(digits):
        raise ValueError(f"'{text}' is no amount")
    amount = Decimal(digits.replace(",", ""))
    return -amount if negative and amount else amount


def parse_date(text):
    """The date in a text; ValueError if there is none."""
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        raise ValueError(f"'{text}' is no date")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"'{text}' is no date") from None


def read_entries(path, columns):
    """The rows of a file. Raises BadInputError."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInputError([f"{path}: cannot be read: {error}"]) from error
    header = [name.strip() for name in rows[0]] if rows else []
    missing = [name for name in columns if name not in header]
    if missing:
        raise BadInputError([f"{path}: missing column: {', '.join(missing)}"])
    entries, problems, seen = [], [], set()
    for number, row in enumerate((row for row in rows[1:] if row), start=1):
        if len(row) != len(header):
            problems.append(f"{path}: row {number}: {len(row)} values, expected {len(header)}")
            continue
        values = dict(zip(header, (value.strip() for value in row), strict=True))
        if "id" in columns and (not values["id"] or values["id"] in seen):
            what = "stands twice" if values["id"] else "is empty"
            problems.append(f"{path}: row {number}: id {values['id']} {what}")
        seen.add(values.get("id"))
        try:
            entries.append(
                Entry(
                    name=values["id"] if "id" in columns else str(number),
                    date=parse_date(values["date"]),
                    amount=parse_amount(values["amount"]),
                    reference=values["reference"].casefold(),
                )
            )
        except ValueError as error:
            problems.append(f"{path}: row {number}: {error}")
    if problems:
        raise BadInputError(problems)
    return entries


def read_both(bank, ledger):
    """The rows of both files. Raises BadInputError with the problems of both."""
    found, problems = [], []
    for path, columns in ((bank, BANK), (ledger, LEDGER)):
        try:
            found.append(read_entries(path, columns))
        except BadInputError as error:
            problems += error.problems
    if problems:
        raise BadInputError(problems)
    return found


def reconcile(bank, ledger, days):
    """The rows of the result."""
    left = dict(enumerate(ledger))
    pairs = {}
    for row, entry in enumerate(bank):
        same = (key for key, other in left.items() if other.reference == entry.reference)
        key = next(same, None) if entry.reference else None
        if key is not None:
            other = left.pop(key)
            status = "matched" if other.amount == entry.amount else "amount_differs"
            pairs[row] = Pair(status, entry, other)
    for row, entry in enumerate(bank):
        if row in pairs:
            continue
        near = [
            (abs((other.date - entry.date).days), key)
            for key, other in left.items()
            if other.amount == entry.amount
        ]
        distance, key = min(near, default=(days + 1, None))
        pairs[row] = (
            Pair("matched", entry, left.pop(key))
            if distance <= days
            else Pair("only_bank", entry, None)
        )
    in_order = [pairs[row] for row in range(len(bank))]
    return in_order + [Pair("only_ledger", None, other) for other in left.values()]


def as_csv(pairs):
    """The result as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for pair in pairs:
        bank, ledger = pair.bank, pair.ledger
        difference = (bank.amount if bank else 0) - (ledger.amount if ledger else 0)
        writer.writerow(
            [
                pair.status,
                bank.name if bank else "",
                ledger.name if ledger else "",
                (bank or ledger).date.isoformat(),
                shown(bank.amount) if bank else "",
                shown(ledger.amount) if ledger else "",
                shown(difference),
            ]
        )
    return text.getvalue()


def shown(amount):
    """An amount with two decimals; zero has no sign."""
    return f"{amount or Decimal(0):.2f}"


def days_value(text):
    """A value for --days."""
    if not re.fullmatch(r"\d{1,6}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected a whole number of days, found '{text}'")
    return int(text)


def main():
    """Runs the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Reconcile a bank statement with a ledger.")
    parser.add_argument("bank")
    parser.add_argument("ledger")
    parser.add_argument("--days", type=days_value, default=3, metavar="N")
    parser.add_argument("--out", metavar="FILE")
    options = parser.parse_args()
    try:
        bank, ledger = read_both(options.bank, options.ledger)
    except BadInputError as error:
        print(error, file=sys.stderr)
        return 2
    pairs = reconcile(bank, ledger, options.days)
    if options.out:
        Path(options.out).write_text(as_csv(pairs), encoding="utf-8", newline="\n")
    else:
        sys.stdout.write(as_csv(pairs))
    counts = Counter(pair.status for pair in pairs)
    print(", ".join(f"{status}: {counts[status]}" for status in STATUSES), file=sys.stderr)
    return 0 if set(counts) <= {"matched"} else 1


if __name__ == "__main__":
    sys.exit(main())
