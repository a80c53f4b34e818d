import json

import pytest

from inventory import Stock, StockError, load, save


def test_round_trip(tmp_path):
    stock = Stock()
    stock.add("A-1", "Bölt", minimum=2)
    stock.receive("A-1", 7)
    save(stock, tmp_path / "stock.json")
    (item,) = load(tmp_path / "stock.json")
    assert (item.sku, item.name, item.quantity, item.minimum) == ("A-1", "Bölt", 7, 2)


def test_no_file_is_an_empty_stock(tmp_path):
    assert list(load(tmp_path / "none.json")) == []


def test_a_version_that_is_not_known(tmp_path):
    path = tmp_path / "stock.json"
    path.write_text(json.dumps({"version": 99, "items": []}))
    with pytest.raises(StockError, match="version 99"):
        load(path)
