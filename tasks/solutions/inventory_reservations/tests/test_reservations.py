import json
from datetime import date

import pytest

from inventory import Reservation, Stock, StockError, load, save
from inventory.cli import main


@pytest.fixture
def stock():
    stock = Stock()
    stock.add("A-1", "Bolt", minimum=5)
    stock.receive("A-1", 10)
    return stock


def refused(words, action, *arguments):
    with pytest.raises(StockError, match=f"^{words}$"):
        action(*arguments)


def test_reserve(stock):
    until = date(2026, 12, 31)
    assert stock.reserve("A-1", 4, " Ada ", until) == Reservation("R1", "A-1", 4, "Ada", until)
    assert (stock.available("A-1"), stock.get("A-1").quantity) == (6, 10)
    refused("A-1: only 6 available", stock.reserve, "A-1", 7, "Bo")
    refused("A-1: the quantity must be at least 1", stock.reserve, "A-1", 0, "Bo")
    refused("A-1: a reservation needs a customer", stock.reserve, "A-1", 1, " ")
    refused("B-2: no such item", stock.reserve, "B-2", 1, "Bo")
    assert stock.reserve("A-1", 6, "Bo").id == "R2"


def test_reserved_goods_are_not_shipped(stock):
    stock.reserve("A-1", 4, "Ada")
    refused("A-1: only 10 in stock", stock.ship, "A-1", 11)
    refused("A-1: only 6 available, 4 reserved", stock.ship, "A-1", 7)
    assert stock.ship("A-1", 6).quantity == 4


def test_release_and_fulfil(stock):
    for _ in range(2):
        stock.reserve("A-1", 3, "Ada")
    assert stock.release("R1").id == "R1"
    assert stock.fulfil("R2").quantity == 3
    assert (stock.available("A-1"), stock.get("A-1").quantity) == (7, 7)
    refused("R1: no such reservation", stock.release, "R1")
    refused("R2: no such reservation", stock.fulfil, "R2")
    assert stock.reserve("A-1", 1, "Ada").id == "R3"


def test_expire(stock):
    for day in (2, None, 1, 3):
        stock.reserve("A-1", 1, "Ada", day and date(2026, 12, day))
    assert [one.id for one in stock.expire(date(2026, 12, 3))] == ["R1", "R3"]
    assert [one.id for one in stock.reservations("A-1")] == ["R2", "R4"]
    refused("X: no such item", stock.reservations, "X")


def test_low_counts_what_is_available(stock):
    stock.reserve("A-1", 5, "Ada")
    assert stock.low() == []
    stock.reserve("A-1", 1, "Ada")
    assert [item.sku for item in stock.low()] == ["A-1"]


def test_file(stock, tmp_path):
    path = tmp_path / "stock.json"
    stock.reserve("A-1", 1, "Ada", date(2026, 12, 31))
    stock.reserve("A-1", 2, "Bo")
    stock.reserve("A-1", 3, "Cy")
    stock.release("R3")
    save(stock, path)
    again = load(path)
    assert again.reservations() == stock.reservations()
    assert again.reserve("A-1", 1, "Di").id == "R4"
    data = json.loads(path.read_text())
    assert (data["version"], data["last_reservation"]) == (2, 3)
    assert data["reservations"][0]["until"] == "2026-12-31"


def test_a_file_of_version_1(tmp_path):
    path = tmp_path / "stock.json"
    item = {"sku": "A-1", "name": "Bolt", "quantity": 3, "minimum": 0}
    path.write_text(json.dumps({"version": 1, "items": [item]}))
    stock = load(path)
    assert stock.reserve("A-1", 3, "Ada").id == "R1"
    save(stock, path)
    assert json.loads(path.read_text())["version"] == 2


def test_command_line(tmp_path, capsys):
    def run(*arguments, code=0):
        assert main([str(tmp_path / "stock.json"), *arguments]) == code
        return capsys.readouterr()

    run("add", "A-1", "Bolt")
    run("receive", "A-1", "10")
    assert run("reserve", "A-1", "4", "Ada", "--until", "2026-12-31").out == "R1\n"
    assert run("reserve", "A-1", "1", "Bo").out == "R2\n"
    assert run("list").out == "A-1\tBolt\t10\t5 reserved\n"
    assert run("reservations").out == "R1\tA-1\t4\tAda\t2026-12-31\nR2\tA-1\t1\tBo\t-\n"
    assert run("expire", "--today", "2026-12-31").out == ""
    assert run("expire", "--today", "2027-01-01").out == "R1\n"
    assert run("fulfil", "R2").out == ""
    assert run("list").out == "A-1\tBolt\t9\n"
    assert run("release", "R2", code=1).err == "error: R2: no such reservation\n"
    with pytest.raises(SystemExit, match="2"):
        run("expire", "--today", "2026-02-30")
