"""Stock keeping for a small warehouse."""

from inventory.stock import Item, Reservation, Stock, StockError
from inventory.storage import load, save

__all__ = ["Item", "Reservation", "Stock", "StockError", "load", "save"]
