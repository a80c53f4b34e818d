"""How long to pause after each failure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """Pauses, in seconds, that grow geometrically up to an optional ceiling."""

    first: float
    factor: float = 2.0
    ceiling: float | None = None

    def delay(self, failures):
        """Seconds to pause after the given number of failures."""
        raise NotImplementedError("Schedule.delay is not written yet")
