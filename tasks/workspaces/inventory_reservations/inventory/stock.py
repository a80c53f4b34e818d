"""What is in stock."""

from dataclasses import dataclass


class StockError(Exception):
    """Something that cannot be done with the stock, in words for the person who asked for it."""


@dataclass
class Item:
    """One kind of goods."""

    sku: str
    name: str
    quantity: int = 0
    minimum: int = 0
    """Below this it has to be ordered."""


class Stock:
    """All items, by SKU."""

    def __init__(self):
        self._items = {}

    def __iter__(self):
        """The items by SKU."""
        return iter(sorted(self._items.values(), key=lambda item: item.sku))

    def add(self, sku, name, minimum=0):
        """A new item, of which there is nothing yet."""
        if not sku.strip() or not name.strip():
            raise StockError("an item needs a SKU and a name")
        if sku in self._items:
            raise StockError(f"{sku}: exists already")
        if minimum < 0:
            raise StockError(f"{sku}: the minimum must not be negative")
        self._items[sku] = Item(sku, name, minimum=minimum)
        return self._items[sku]

    def get(self, sku):
        """The item with that SKU."""
        if sku not in self._items:
            raise StockError(f"{sku}: no such item")
        return self._items[sku]

    def receive(self, sku, quantity):
        """Goods have come in."""
        item = self.get(sku)
        self._check_quantity(sku, quantity)
        item.quantity += quantity
        return item

    def ship(self, sku, quantity):
        """Goods go out."""
        item = self.get(sku)
        self._check_quantity(sku, quantity)
        if quantity > item.quantity:
            raise StockError(f"{sku}: only {item.quantity} in stock")
        item.quantity -= quantity
        return item

    def low(self):
        """The items that have to be ordered."""
        return [item for item in self if item.quantity < item.minimum]

    @staticmethod
    def _check_quantity(sku, quantity):
        if quantity < 1:
            raise StockError(f"{sku}: the quantity must be at least 1")
