"""A log file that keeps the first and the last part of a stream: no flood fills the disk or the memory.

Standard library alone: the supervisor loads it.
"""

import os

HEAD_BYTES = 1 << 20
"""What a program says first (version, settings, plan) tells what ran: 1 MiB holds hours of a normal agent."""
TAIL_BYTES = 1 << 20
"""What it says last (result, error, token count) tells how it ended."""


class OutputLog:
    """Takes a stream piece by piece. The middle of what exceeds head and tail is cut when it is closed.

    While it is open, the tail is a ring in the file behind the head: memory stays free of it, and what was
    written is on disk at once.
    """

    def __init__(self, path: str) -> None:
        """Raises OSError if the file cannot be made."""
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        self._file = os.open(path, flags, 0o644)
        self.total = 0
        """Bytes of the stream so far."""
        self.cut = 0
        """Bytes of the stream that the closed file does not hold."""
        self.error: str | None = None
        """Why the file does not hold what it should (a full disk); the stream is counted nevertheless."""

    def write(self, piece: bytes) -> None:
        """Take the next piece of the stream."""
        position = self.total
        self.total += len(piece)
        view = memoryview(piece)
        if position < HEAD_BYTES:
            room = HEAD_BYTES - position
            self._put(view[:room], position)
            position += len(view[:room])
            view = view[room:]
        while view and not self.error:
            offset = (position - HEAD_BYTES) % TAIL_BYTES
            part = view[: TAIL_BYTES - offset]
            self._put(part, HEAD_BYTES + offset)
            position += len(part)
            view = view[len(part) :]

    def beginning(self, count: int) -> bytes:
        """The first ``count`` bytes, or all there are."""
        return os.pread(self._file, min(count, HEAD_BYTES), 0)

    def close(self) -> None:
        """Put the tail in order and say in a line of its own how much is missing before it."""
        self.cut = max(0, self.total - HEAD_BYTES - TAIL_BYTES)
        try:
            if self.cut:
                self._unroll()
        except OSError as error:
            self.error = self.error or str(error)

    def _unroll(self) -> None:
        ring = os.pread(self._file, TAIL_BYTES, HEAD_BYTES)
        start = (self.total - HEAD_BYTES) % TAIL_BYTES
        line = f"\n[agent-bench: {self.cut} bytes are cut here]\n".encode()
        self._put(memoryview(line + ring[start:] + ring[:start]), HEAD_BYTES)

    def _put(self, view: memoryview, offset: int) -> None:
        try:
            while view:
                written = os.pwrite(self._file, view, offset)
                view = view[written:]
                offset += written
        except OSError as error:
            self.error = self.error or str(error)
