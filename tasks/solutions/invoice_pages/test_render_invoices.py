import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from render_invoices import Reader, money, pages, rounded

PROGRAM = Path(__file__).with_name("render_invoices.py")
LINE_KEYS = ("text", "quantity", "unit_price")


def invoice(lines=(("Work", "1.5", "1200.00"),), **changes):
    return {
        "number": "2026-001",
        "date": "2026-12-20",
        "due_days": 14,
        "currency": "EUR",
        "tax_percent": "19",
        "customer": "Ada & Co.",
        "lines": [dict(zip(LINE_KEYS, line, strict=True)) for line in lines],
        **changes,
    }


def rendered(*invoices):
    reader = Reader()
    found = reader.read({"invoices": list(invoices)})
    assert reader.problems == []
    return pages(found)


def problems(*invoices):
    reader = Reader()
    reader.read({"invoices": list(invoices)})
    return [problem.partition(": ")[0] for problem in reader.problems]


def field(page, name):
    return re.search(rf'id="{name}">([^<]*)<', page)[1]


def test_a_page():
    page = rendered(invoice())["2026-001.html"]
    assert "<title>Invoice 2026-001</title>" in page
    assert (field(page, "date"), field(page, "due")) == ("2026-12-20", "2027-01-03")
    assert field(page, "net") == "1,800.00 EUR"
    assert field(page, "tax") == "342.00 EUR"
    assert field(page, "total") == "2,142.00 EUR"
    assert "<td>Work</td><td>1.5</td><td>1200.00</td><td>1,800.00 EUR</td>" in page


def test_lines_are_rounded_before_they_are_added():
    page = rendered(invoice([("a", "1", "0.005"), ("b", "1", "0.005")], tax_percent="50"))
    page = page["2026-001.html"]
    assert (field(page, "net"), field(page, "tax")) == ("0.02 EUR", "0.01 EUR")


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("2.345", "2.35 EUR"),
        ("-2.345", "-2.35 EUR"),
        ("-0.001", "0.00 EUR"),
        ("1e6", "1,000,000.00 EUR"),
    ],
)
def test_money(amount, shown):
    assert money(rounded(Decimal(amount)), "EUR") == shown


def test_text_stays_text():
    page = rendered(invoice([("<i>x</i>", "1", "1")], customer='<b>"A"</b>'))["2026-001.html"]
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;b&gt;" in page


def test_index():
    page = rendered(
        invoice(number="b"),
        invoice(number="c", currency="CHF"),
        invoice(number="a", date="2026-12-21"),
        invoice(number="A-2", tax_percent="0"),
    )["index.html"]
    assert re.findall(r'href="([^"]*)"', page) == ["A-2.html", "b.html", "c.html", "a.html"]
    assert re.findall(r'class="sum"><td>(.*?)</td><td>(.*?)</td>', page) == [
        ("CHF", "2,142.00 CHF"),
        ("EUR", "6,084.00 EUR"),
    ]


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"number": "../x"}, "number"),
        ({"number": "Index"}, "number"),
        ({"date": "2026-02-30"}, "date"),
        ({"date": "9999-12-31"}, "due_days"),
        ({"due_days": -1}, "due_days"),
        ({"due_days": True}, "due_days"),
        ({"currency": "eur"}, "currency"),
        ({"tax_percent": 19}, "tax_percent"),
        ({"tax_percent": "-1"}, "tax_percent"),
        ({"tax_percent": "100.1"}, "tax_percent"),
        ({"customer": " "}, "customer"),
        ({"lines": []}, "lines"),
        ({"lines": [("x", "1.00001", "1")]}, "lines[0].quantity"),
        ({"lines": [("x", "1", "1234567890")]}, "lines[0].unit_price"),
    ],
)
def test_wrong_values(wrong, place):
    assert problems(invoice(**wrong)) == [f"invoices[0].{place}"]


def test_keys_and_doubles():
    broken = invoice(number="2026-001", more=1)
    del broken["date"]
    other = invoice([("x", "1", "1"), ("y", "1e3", "1")], number="z")
    assert problems(invoice(), broken, other) == [
        "invoices[1]",
        "invoices[1].date",
        "invoices[2].lines[1].quantity",
        "invoices[1].number",
    ]


def run(folder, content):
    (folder / "in.json").write_text(content, encoding="utf-8")
    argv = [sys.executable, PROGRAM, "in.json", "out/pages"]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True)


def test_program(tmp_path):
    done = run(tmp_path, json.dumps({"invoices": [invoice(customer="Zoë")]}))
    assert (done.returncode, done.stderr) == (0, "")
    names = sorted(path.name for path in (tmp_path / "out" / "pages").iterdir())
    assert names == ["2026-001.html", "index.html"]
    assert "Zoë" in (tmp_path / "out" / "pages" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", ["{", "[]", '{"invoices": {}}', '{"invoices": [1]}'])
def test_nothing_is_written_for_wrong_input(tmp_path, content):
    done = run(tmp_path, content)
    assert done.returncode == 2
    assert done.stderr.startswith(("in.json: ", "invoices"))
    assert not (tmp_path / "out").exists()
