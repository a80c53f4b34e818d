"""A limit on elapsed time, measured on a clock that is handed in."""


class Deadline:
    """Ends ``limit`` seconds after its creation; ``clock()`` gives seconds."""

    def __init__(self, limit, clock):
        self.limit = limit
        self._clock = clock
        self._began = clock()

    def remaining(self):
        """Seconds left, never below 0."""
        return max(0, self.limit - (self._clock() - self._began))

    def expired(self):
        """True once no time is left."""
        return self.remaining() == 0
