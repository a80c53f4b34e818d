"""Stock keeping for a small warehouse."""

from inventory.stock import Item, Stock, StockError
from inventory.storage import load, save

__all__ = ["Item", "Stock", "StockError", "load", "save"]
