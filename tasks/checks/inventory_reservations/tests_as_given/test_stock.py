import pytest

from inventory import Stock, StockError


@pytest.fixture
def stock():
    stock = Stock()
    stock.add("B-2", "Nut", minimum=5)
    stock.add("A-1", "Bolt")
    return stock


def test_items_are_sorted(stock):
    assert [item.sku for item in stock] == ["A-1", "B-2"]


def test_receive_and_ship(stock):
    assert stock.receive("A-1", 10).quantity == 10
    assert stock.ship("A-1", 4).quantity == 6


def test_no_more_than_there_is(stock):
    stock.receive("A-1", 3)
    with pytest.raises(StockError, match="^A-1: only 3 in stock$"):
        stock.ship("A-1", 4)
    assert stock.get("A-1").quantity == 3


@pytest.mark.parametrize("quantity", [0, -1])
def test_quantities_are_positive(stock, quantity):
    for action in (stock.receive, stock.ship):
        with pytest.raises(StockError, match="at least 1"):
            action("A-1", quantity)


def test_unknown_and_doubled_items(stock):
    with pytest.raises(StockError, match="^C-3: no such item$"):
        stock.receive("C-3", 1)
    with pytest.raises(StockError, match="^A-1: exists already$"):
        stock.add("A-1", "Bolt")


def test_low(stock):
    stock.receive("B-2", 4)
    assert [item.sku for item in stock.low()] == ["B-2"]
    stock.receive("B-2", 1)
    assert stock.low() == []
