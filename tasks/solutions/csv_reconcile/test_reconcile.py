import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from reconcile import parse_amount, parse_date

PROGRAM = Path(__file__).with_name("reconcile.py")
BANK = "date,description,amount,reference\n"
LEDGER = "id,date,amount,reference\n"
HEADER = "status,bank_row,ledger_id,date,bank_amount,ledger_amount,difference\n"


@pytest.fixture
def reconcile(tmp_path):
    def run(bank, ledger, *options):
        (tmp_path / "bank.csv").write_text(bank, encoding="utf-8")
        (tmp_path / "ledger.csv").write_text(ledger, encoding="utf-8")
        argv = [sys.executable, PROGRAM, "bank.csv", "ledger.csv", *options]
        return subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True)

    return run


@pytest.mark.parametrize(
    ("text", "amount"),
    [("1,234.50", "1234.50"), ("-7", "-7"), ("(12.30)", "-12.30"), ("0.5", "0.5"), ("(0)", "0")],
)
def test_amounts(text, amount):
    assert parse_amount(text) == Decimal(amount)


@pytest.mark.parametrize(
    "text", ["", "x", "1.234", "12,34", "1,2345", "--1", "-(1)", "(1", "1e3", "1."]
)
def test_no_amounts(text):
    with pytest.raises(ValueError, match="no amount"):
        parse_amount(text)


@pytest.mark.parametrize("text", ["", "2026-13-01", "2026-02-30", "20261201", "2026-12-1"])
def test_no_dates(text):
    with pytest.raises(ValueError, match="no date"):
        parse_date(text)


def test_all_matched(reconcile):
    bank = BANK + '2026-12-01,Rent,"(1,200.00)",r-1\n2026-12-05,Sale,10.1,\n'
    ledger = LEDGER + "L1,2026-12-07,10.10,other\nL2,2026-01-01,-1200,R-1 \n"
    done = reconcile(bank, ledger)
    assert done.returncode == 0
    assert done.stdout == (
        HEADER
        + "matched,1,L2,2026-12-01,-1200.00,-1200.00,0.00\n"
        + "matched,2,L1,2026-12-05,10.10,10.10,0.00\n"
    )
    assert done.stderr == "matched: 2, amount_differs: 0, only_bank: 0, only_ledger: 0\n"


def test_differences(reconcile):
    bank = BANK + "2026-12-01,a,5,r1\n2026-12-01,b,7,\n"
    ledger = LEDGER + "L1,2026-12-01,5.25,r1\nL2,2026-12-05,7,\n"
    done = reconcile(bank, ledger, "--out", "out.csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "matched: 0, amount_differs: 1, only_bank: 1, only_ledger: 1\n"
    again = reconcile(bank, ledger)
    assert again.stdout == (
        HEADER
        + "amount_differs,1,L1,2026-12-01,5.00,5.25,-0.25\n"
        + "only_bank,2,,2026-12-01,7.00,,7.00\n"
        + "only_ledger,,L2,2026-12-05,,7.00,-7.00\n"
    )
    assert reconcile(bank, ledger, "--days", "4").stdout.count("\nmatched") == 1


def test_the_nearest_date_then_the_first(reconcile):
    bank = BANK + "2026-12-10,a,1,\n2026-12-10,b,1,\n"
    ledger = LEDGER + "L1,2026-12-07,1,\nL2,2026-12-12,1,\nL3,2026-12-08,1,\n"
    rows = reconcile(bank, ledger).stdout.splitlines()[1:]
    assert [row.split(",")[2] for row in rows] == ["L2", "L3", "L1"]


def test_references_come_first(reconcile):
    bank = BANK + "2026-12-10,a,1,\n2026-12-10,b,1,r\n"
    ledger = LEDGER + "L1,2026-12-10,1,r\n"
    rows = reconcile(bank, ledger).stdout.splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == ["only_bank", "matched"]


def test_problems_are_told_all_at_once(reconcile):
    bank = BANK + "2026-12-01,a,x,\n2026-12-01,a,1\n"
    ledger = LEDGER + "L1,2026-12-01,1,\nL1,2026-12-01,1,\n,yesterday,1,\n"
    done = reconcile(bank, ledger)
    assert (done.returncode, done.stdout) == (2, "")
    places = [line.split(": ")[:2] for line in done.stderr.splitlines()]
    assert places == [
        ["bank.csv", "row 1"],
        ["bank.csv", "row 2"],
        ["ledger.csv", "row 2"],
        ["ledger.csv", "row 3"],
        ["ledger.csv", "row 3"],
    ]


def test_header(reconcile):
    ledger = "\ufeffreference, id,note,date,amount\n,L1,x,2026-12-01,1\n"
    assert reconcile(BANK + "2026-12-01,a,1,\n", ledger).returncode == 0
    done = reconcile("date,amount\n", LEDGER)
    assert done.returncode == 2
    assert done.stderr == "bank.csv: missing column: description, reference\n"
