"""What the task asks for, tried from outside, against a slow and simple reckoning of the same rules."""

import csv
import io
import random
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

HEADER = "status,bank_row,ledger_id,date,bank_amount,ledger_amount,difference"
STATUSES = ("matched", "amount_differs", "only_bank", "only_ledger")


def expect(condition, message):
    if not condition:
        sys.exit(message)


def same(found, expected, what):
    expect(found == expected, f"{what}: found {found!r}, expected {expected!r}")


class Place:
    """A folder with the two files."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.bank, self.ledger, self.out = (self.folder / name for name in ("bank.csv", "ledger.csv", "out.csv"))

    def run(self, bank, ledger, *options):
        for path, content in ((self.bank, bank), (self.ledger, ledger)):
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self.run_on(self.bank, self.ledger, *options)

    def run_on(self, *arguments):
        argv = [sys.executable, "reconcile.py", *map(str, arguments)]
        done = subprocess.run(argv, capture_output=True, timeout=30)
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def cents(number):
    """An amount in cents as the program has to write it."""
    return f"{'-' if number < 0 else ''}{abs(number) // 100}.{abs(number) % 100:02}"


def spelt(chance, number):
    """An amount in cents in one of the spellings that are allowed."""
    whole, rest = divmod(abs(number), 100)
    text = chance.choice([str(whole), f"{whole:,}"])
    if rest or chance.random() < 0.5:
        text += f".{rest // 10}" if rest % 10 == 0 and chance.random() < 0.5 else f".{rest:02}"
    return chance.choice(["-{}", "({})"]).format(text) if number < 0 else text


def reckon(bank, ledger, days):
    """The rows of the result; an entry is (date, cents, reference)."""
    used, partner = set(), {}
    for row, (_, _, reference) in enumerate(bank):
        for key, other in enumerate(ledger):
            if reference and key not in used and other[2].lower() == reference.lower():
                used.add(key)
                partner[row] = key
                break
    for row, (day, amount, _) in enumerate(bank):
        best = None
        for key, other in enumerate(ledger):
            distance = abs((other[0] - day).days)
            if row in partner or key in used or other[1] != amount or distance > days:
                continue
            if best is None or distance < best[0]:
                best = (distance, key)
        if best:
            used.add(best[1])
            partner[row] = best[1]
    rows = []
    for row, (day, amount, _) in enumerate(bank):
        if row in partner:
            key = partner[row]
            status = "matched" if ledger[key][1] == amount else "amount_differs"
            other = ledger[key][1]
            rows.append([status, f"{row + 1}", f"L{key}", f"{day}", cents(amount), cents(other), cents(amount - other)])
        else:
            rows.append(["only_bank", f"{row + 1}", "", f"{day}", cents(amount), "", cents(amount)])
    for key, (day, amount, _) in enumerate(ledger):
        if key not in used:
            rows.append(["only_ledger", "", f"L{key}", f"{day}", "", cents(amount), cents(-amount)])
    return rows


def table(columns, rows):
    text = io.StringIO()
    csv.writer(text).writerows([columns, *rows])
    return text.getvalue()


def random_case(place, seed):
    chance = random.Random(seed)

    def entries(count):
        start = date(2026, 11, 28)
        return [
            (
                start + timedelta(days=chance.randrange(14)),
                chance.choice([0, 5, 30, -1250, 1999, 123456, 123450, -100000]),
                chance.choice(["", "", "r1", "R1", "r2", "Ref-3", "REF-3", "r4"]),
            )
            for _ in range(count)
        ]

    bank, ledger, days = entries(25), entries(25), chance.choice([0, 2, 3])
    bank_rows = [
        [f" {entry[2]}", 'Some, "quoted" text\nin two lines', spelt(chance, entry[1]), f"{entry[0]} "] for entry in bank
    ]
    ledger_rows = [[f"L{key}", f"{e[0]}", "x", e[2], spelt(chance, e[1])] for key, e in enumerate(ledger)]
    code, output, told = place.run(
        table(["reference", "description", "amount", "date"], bank_rows),
        "\ufeff" + table(["id", "date", "note", "reference", "amount"], ledger_rows),
        *([] if days == 3 else ["--days", str(days)]),
    )
    expected = reckon(bank, ledger, days)
    same(output.splitlines()[:1], [HEADER], "header")
    expect("\r" not in output, "lines end with \\r\\n")
    for found, wanted in zip(list(csv.reader(io.StringIO(output)))[1:], expected, strict=False):
        same(found, wanted, f"a row with {days} days")
    same(len(output.splitlines()) - 1, len(expected), "number of rows")
    counts = [sum(row[0] == status for row in expected) for status in STATUSES]
    line = ", ".join(f"{status}: {count}" for status, count in zip(STATUSES, counts, strict=True))
    same(told.strip().splitlines()[-1:], [line], "last line on stderr")
    same(code, 0 if counts[0] == len(expected) else 1, "exit code")


BANK = "date,description,amount,reference\n2026-12-01,a,1.00,\n"
LEDGER = "id,date,amount,reference\nL1,2026-12-01,1.00,\n"


def wrong_input(place):
    bad = [
        (BANK + "2026-12-01,a,1.234,\n", LEDGER, [f"{place.bank}: row 2: "]),
        (BANK + "2026-12-01,a,12.3.4,\n", LEDGER, [f"{place.bank}: row 2: "]),
        (BANK + '2026-12-01,a,"12,34",\n', LEDGER, [f"{place.bank}: row 2: "]),
        (BANK + "2026-12-01,a,,\n", LEDGER, [f"{place.bank}: row 2: "]),
        (BANK + "2026-12-01,a,NaN,\n", LEDGER, [f"{place.bank}: row 2: "]),
        (BANK + "2026-02-30,a,1,\n", LEDGER, [f"{place.bank}: row 2: "]),
        (BANK + "01.12.2026,a,1,\n", LEDGER, [f"{place.bank}: row 2: "]),
        (BANK + "2026-12-01,a,1\n", LEDGER, [f"{place.bank}: row 2: "]),
        (BANK + "2026-12-01,a,1,,\n", LEDGER, [f"{place.bank}: row 2: "]),
        (BANK, LEDGER + "L1,2026-12-01,2,\n", [f"{place.ledger}: row 2: "]),
        (BANK, LEDGER + " ,2026-12-01,2,\n", [f"{place.ledger}: row 2: "]),
        ("date,amount,reference\n", LEDGER, [f"{place.bank}: "]),
        (b"\xff\xfe\x00", LEDGER, [f"{place.bank}: "]),
        ("", LEDGER, [f"{place.bank}: "]),
        (
            BANK + "x,a,1,\n2026-12-01,a,y,\n",
            LEDGER + "L2,z,1,\n",
            [f"{place.bank}: row 2: ", f"{place.bank}: row 3: ", f"{place.ledger}: row 2: "],
        ),
    ]
    for bank, ledger, places in bad:
        code, output, told = place.run(bank, ledger, "--out", place.out)
        same((code, output), (2, ""), f"exit code and output for {bank[-30:]!r} and {ledger[-30:]!r}")
        expect(not place.out.exists(), "the result was written although something is wrong")
        for start in places:
            expect(any(line.startswith(start) for line in told.splitlines()), f"no line '{start}…' in {told!r}")
    code, output, told = place.run_on(place.bank, place.folder / "missing.csv")
    same((code, output), (2, ""), "exit code and output for a missing file")
    expect("missing.csv" in told, f"missing.csv is not named in {told!r}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        for seed in range(8):
            random_case(place, seed)
        same(place.run(BANK, LEDGER)[0], 0, "exit code when all rows match")
        same(place.run("date,description,amount,reference\n", "id,date,amount,reference\n")[0], 0, "without rows")
        code, output, _ = place.run(BANK, LEDGER, "--out", place.out)
        same((code, output), (0, ""), "exit code and output with --out")
        same(
            place.out.read_text(encoding="utf-8"),
            f"{HEADER}\nmatched,1,L1,2026-12-01,1.00,1.00,0.00\n",
            "what --out wrote",
        )
        place.out.unlink()
        wrong_input(place)


main()
