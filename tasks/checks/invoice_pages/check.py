"""What the task asks for, tried from outside; the pages are read as a browser would."""

import json
import os
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

PROGRAM = os.path.abspath("render_invoices.py")
VOID = {"meta", "link", "br", "hr", "img", "input", "col"}


def same(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: found {found!r}, expected {expected!r}")


class Page(HTMLParser):
    """The texts of elements with an id, the cells of rows by class, links, and which elements there are."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.ids, self.rows, self.links, self.tags, self.charset = {}, {}, [], [], ""
        self._open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.tags.append(tag)
        self.charset = values.get("charset") or self.charset
        if tag == "a":
            self.links.append(values.get("href"))
        if tag in VOID:
            return
        text = []
        if "id" in values:
            self.ids.setdefault(values["id"], []).append(text)
        if tag == "title":
            self.ids["<title>"] = [text]
        if tag == "tr":
            row = []
            for name in (values.get("class") or "").split():
                self.rows.setdefault(name, []).append(row)
            self._open.append((tag, text, row))
            return
        row = next((row for _, _, row in reversed(self._open) if row is not None), None)
        if tag == "td" and row is not None:
            row.append(text)
        self._open.append((tag, text, None))

    def handle_endtag(self, tag):
        if any(tag == name for name, _, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data):
        for _, text, _ in self._open:
            text.append(data)

    def field(self, name):
        texts = self.ids.get(name, [])
        return words(texts[0]) if len(texts) == 1 else f"{len(texts)} elements with this id"

    def table(self, name):
        return [[words(cell) for cell in row] for row in self.rows.get(name, [])]


def words(texts):
    return " ".join("".join(texts).split())


def invoice(number, date="2026-12-01", lines=(("Work", "1", "10.00"),), **changes):
    entries = [{"text": text, "quantity": quantity, "unit_price": price} for text, quantity, price in lines]
    values = {"number": number, "date": date, "due_days": 30, "currency": "EUR", "tax_percent": "19"}
    return {**values, "customer": "Ada & Co.", "lines": entries, **changes}


class Place:
    """A folder to work in."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.out = self.folder / "some" / "pages"

    def run(self, *invoices, raw=None):
        content = raw if raw is not None else json.dumps({"invoices": list(invoices)}, ensure_ascii=False).encode()
        (self.folder / "in.json").write_bytes(content)
        argv = [sys.executable, PROGRAM, "in.json", "some/pages"]
        done = subprocess.run(argv, cwd=self.folder, capture_output=True, timeout=30)
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    def page(self, name):
        path = self.out / f"{name}.html"
        if not path.is_file():
            sys.exit(f"{name}.html was not written")
        text = path.read_text(encoding="utf-8")
        if not re.match(r"\s*<!doctype html>", text, re.IGNORECASE) or "</html>" not in text.lower():
            sys.exit(f"{name}.html is not a complete HTML document")
        page = Page(text)
        same(page.charset.lower(), "utf-8", f"charset of {name}.html")
        return page


def check_page(page, number, **expected):
    same(page.field("<title>"), f"Invoice {number}", f"title of {number}")
    for name, value in {"number": number, **expected}.items():
        same(page.field(name), value, f"{name} of {number}")


def good(place):
    hostile = "<script>alert('x')</script> & \"Zo\u00eb\" {{ 7 * 7 }}"
    lines = [("<b>Half</b> a cent", "3", "0.335"), ("Credit", "-1", "2500.005"), ("\u00c4rger", "10.50", "1000")]
    invoices = [
        invoice("2026-010", "2026-12-20", lines, tax_percent="7.5", due_days=14, customer=hostile),
        invoice("2026-009", "2026-12-20", [("a", "1", "0.005")] * 3, tax_percent="33"),
        invoice("b1", "2026-11-30", [("Gift", "0", "5")], tax_percent="0", due_days=0),
        invoice("x", "2024-01-30", [("Back", "-2", "617.25")], currency="CHF", tax_percent="8.1"),
    ]
    place.out.mkdir(parents=True)
    (place.out / "other.html").write_text("mine")
    code, _, told = place.run(*invoices)
    same(code, 0, f"exit code ({told.strip()[-200:]})")
    page = place.page("2026-010")
    check_page(page, "2026-010", date="2026-12-20", due="2027-01-03", customer=hostile)
    check_page(page, "2026-010", net="8,001.00 EUR", tax="600.08 EUR", total="8,601.08 EUR")
    amounts = ["1.01 EUR", "-2,500.01 EUR", "10,500.00 EUR"]
    same(page.table("line"), [[*line, amount] for line, amount in zip(lines, amounts, strict=True)], "lines of 2026-010")
    for tag in ("script", "b"):
        if tag in page.tags:
            sys.exit(f"<{tag}> of the input became an element")
    check_page(place.page("2026-009"), "2026-009", net="0.03 EUR", tax="0.01 EUR", total="0.04 EUR", due="2027-01-19")
    check_page(place.page("b1"), "b1", net="0.00 EUR", tax="0.00 EUR", total="0.00 EUR", due="2026-11-30")
    check_page(place.page("x"), "x", net="-1,234.50 CHF", tax="-99.99 CHF", total="-1,334.49 CHF", due="2024-02-29")
    index = place.page("index")
    rows = [
        ["x", "2024-01-30", "Ada & Co.", "-1,334.49 CHF"],
        ["b1", "2026-11-30", "Ada & Co.", "0.00 EUR"],
        ["2026-009", "2026-12-20", "Ada & Co.", "0.04 EUR"],
        ["2026-010", "2026-12-20", hostile, "8,601.08 EUR"],
    ]
    same(index.table("invoice"), rows, "rows of the index")
    same([link for link in index.links if link], [f"{row[0]}.html" for row in rows], "links of the index")
    same(index.table("sum"), [["CHF", "-1,334.49 CHF"], ["EUR", "8,601.12 EUR"]], "sums of the index")
    same((place.out / "other.html").read_text(), "mine", "another file in the folder")


def bad(place):
    good_line = {"text": "a", "quantity": "1", "unit_price": "1"}
    cases = [({"number": value}, "number") for value in ("../up", "a b", "", "index", 7)]
    cases += [({"date": value}, "date") for value in ("2026-02-30", "1.12.2026", None)]
    cases += [({"due_days": value}, "due_days") for value in (-1, "14", 1.5, True)]
    cases += [({"currency": value}, "currency") for value in ("eur", "EURO", "")]
    cases += [({"tax_percent": value}, "tax_percent") for value in (19, "x", "", "NaN", "-1", "100.01")]
    cases += [({"customer": value}, "customer") for value in (" ", None)]
    cases += [({"lines": value}, "lines") for value in ([], {}, "x")]
    for key, values in (("quantity", (1, "1e3", "1,5", "1.00001")), ("unit_price", ("--1", None, "1" * 10)), ("text", ("", 5))):
        cases += [({"lines": [good_line, {**good_line, key: value}]}, f"lines[1].{key}") for value in values]
    cases += [({"lines": [{"text": "a", "quantity": "1"}]}, "lines[0].unit_price")]
    # One problem in each of many invoices; and a few of them alone.
    code, _, told = place.run(*({**invoice(f"n{index}"), **changes} for index, (changes, _) in enumerate(cases)))
    same((code, place.out.exists()), (2, False), f"(exit code, something written) for {len(cases)} problems")
    for index, (changes, where) in enumerate(cases):
        expect_line(told, f"invoices[{index}].{where}: ", changes)
    for changes, where in cases[::8]:
        code, _, told = place.run(invoice("ok"), {**invoice("wrong"), **changes})
        same((code, place.out.exists()), (2, False), f"(exit code, something written) for {changes}")
        expect_line(told, f"invoices[1].{where}: ", changes)
    code, _, told = place.run(invoice("A1"), {**invoice("b"), "note": "x"}, invoice("a1"), invoice("c", lines=[]))
    same((code, place.out.exists()), (2, False), "(exit code, something written) for three problems")
    for start in ("invoices[1]: ", "invoices[2].number: ", "invoices[3].lines: "):
        expect_line(told, start, "three problems")
    if not any(line.startswith("invoices[1]: ") and "note" in line for line in told.splitlines()):
        sys.exit(f"the unknown key is not named: {told!r}")
    for raw in (b"{", b"", b"\xff\xfe{}"):
        code, _, told = place.run(raw=raw)
        same((code, place.out.exists()), (2, False), f"(exit code, something written) for {raw!r}")
        expect_line(told, "in.json: ", raw)


def expect_line(told, start, what):
    if not any(line.startswith(start) for line in told.splitlines()):
        sys.exit(f"no line on stderr that begins with '{start}' for {what}")


def main():
    for check in (good, bad):
        with tempfile.TemporaryDirectory() as folder:
            check(Place(folder))


main()
