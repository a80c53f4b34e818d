"""How long to pause after each failure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """Pauses, in seconds, that grow geometrically up to an optional ceiling."""

    first: float
    factor: float = 2.0
    ceiling: float | None = None

    def __post_init__(self):
        if self.first < 0:
            raise ValueError(f"first must be at least 0, got {self.first}")
        if self.factor < 1:
            raise ValueError(f"factor must be at least 1, got {self.factor}")
        if self.ceiling is not None and self.ceiling < self.first:
            raise ValueError(f"ceiling must be at least first, got {self.ceiling}")

    def delay(self, failures):
        """Seconds to pause after the given number of failures."""
        if failures < 1:
            raise ValueError(f"failures must be at least 1, got {failures}")
        if self.first == 0:
            return 0.0
        try:
            grown = float(self.first * float(self.factor) ** (failures - 1))
        except OverflowError:
            grown = float("inf")
        if self.ceiling is None:
            return grown
        return float(min(grown, self.ceiling))
