"""Calling things that fail now and then, with pauses that grow."""

from patience.deadline import Deadline
from patience.errors import GaveUp
from patience.retry import Retry
from patience.schedule import Schedule

__all__ = ["Deadline", "GaveUp", "Retry", "Schedule"]
