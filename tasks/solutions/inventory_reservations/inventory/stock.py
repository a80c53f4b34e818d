"""What is in stock, and what of it is reserved."""

import datetime
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


@dataclass(frozen=True)
class Reservation:
    """Goods that are kept for a customer."""

    id: str
    sku: str
    quantity: int
    customer: str
    until: datetime.date | None = None
    """The last day it holds; None: without end."""


class Stock:
    """All items, by SKU, and all reservations."""

    def __init__(self):
        self._items = {}
        self._reservations = {}
        self.last_reservation = 0

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
        """Goods go out; those that are reserved stay."""
        item = self.get(sku)
        self._check_quantity(sku, quantity)
        if quantity > item.quantity:
            raise StockError(f"{sku}: only {item.quantity} in stock")
        available = self.available(sku)
        if quantity > available:
            reserved = item.quantity - available
            raise StockError(f"{sku}: only {available} available, {reserved} reserved")
        item.quantity -= quantity
        return item

    def low(self):
        """The items that have to be ordered."""
        return [item for item in self if self.available(item.sku) < item.minimum]

    def available(self, sku):
        """What is in stock less what is reserved."""
        item = self.get(sku)
        return item.quantity - sum(found.quantity for found in self.reservations(sku))

    def reservations(self, sku=None):
        """The reservations, all or those of one item, in the order in which they were made."""
        if sku is not None:
            self.get(sku)
        return [found for found in self._reservations.values() if sku in (None, found.sku)]

    def reserve(self, sku, quantity, customer, until=None):
        """Keeps goods for a customer."""
        self.get(sku)
        self._check_quantity(sku, quantity)
        if not customer.strip():
            raise StockError(f"{sku}: a reservation needs a customer")
        available = self.available(sku)
        if quantity > available:
            raise StockError(f"{sku}: only {available} available")
        self.last_reservation += 1
        reservation = Reservation(
            f"R{self.last_reservation}", sku, quantity, customer.strip(), until
        )
        self._reservations[reservation.id] = reservation
        return reservation

    def restore(self, reservations, last_reservation):
        """Takes over reservations that were made before, in their order."""
        self._reservations = {reservation.id: reservation for reservation in reservations}
        self.last_reservation = last_reservation

    def release(self, reservation_id):
        """Gives a reservation up."""
        if reservation_id not in self._reservations:
            raise StockError(f"{reservation_id}: no such reservation")
        return self._reservations.pop(reservation_id)

    def fulfil(self, reservation_id):
        """Ships the goods of a reservation."""
        reservation = self.release(reservation_id)
        self.get(reservation.sku).quantity -= reservation.quantity
        return reservation

    def expire(self, today):
        """Gives up the reservations whose last day is over."""
        expired = [one for one in self.reservations() if one.until and one.until < today]
        return [self.release(reservation.id) for reservation in expired]

    @staticmethod
    def _check_quantity(sku, quantity):
        if quantity < 1:
            raise StockError(f"{sku}: the quantity must be at least 1")
