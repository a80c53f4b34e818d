"""The pipes of a command's stdout and stderr, emptied into their logs as they fill."""

import fcntl
import os

from agent_bench.supervision.output_log import OutputLog

_READ_BYTES = 1 << 16
"""As much as a pipe holds unless somebody enlarged it."""
_F_GETPIPE_SZ = getattr(fcntl, "F_GETPIPE_SZ", None)


class Streams:
    """Two pipes and their logs. End of file is noticed but never waited for."""

    def __init__(self, out: str, err: str) -> None:
        """Raises OSError if a log cannot be made."""
        self.out = OutputLog(out)
        self.err = OutputLog(err)
        self._open: dict[int, OutputLog] = {}
        self.writers: list[int] = []
        """For the command: its stdout and its stderr."""
        for log in (self.out, self.err):
            reader, writer = os.pipe()
            os.set_blocking(reader, False)
            self._open[reader] = log
            self.writers.append(writer)

    @property
    def readers(self) -> tuple[int, ...]:
        """Pipes without end of file yet."""
        return tuple(self._open)

    @property
    def total(self) -> int:
        """Bytes that were written so far."""
        return self.out.total + self.err.total

    @property
    def cut(self) -> int:
        """Bytes that the closed logs do not hold."""
        return self.out.cut + self.err.cut

    @property
    def error(self) -> str | None:
        """Why the logs do not hold what they should."""
        return self.out.error or self.err.error

    def close_writers(self) -> None:
        """Once the command has them."""
        for writer in self.writers:
            os.close(writer)

    def read(self, reader: int) -> bool:
        """Take what is there, a pipe's usual fill at most; whether there was any."""
        try:
            piece = os.read(reader, _READ_BYTES)
        except BlockingIOError:
            return False
        if not piece:
            del self._open[reader]
            os.close(reader)
            return False
        self._open[reader].write(piece)
        return True

    def close(self) -> None:
        """Take what the pipes still hold (no more: a survivor may go on writing), and finish the logs."""
        for reader, log in list(self._open.items()):
            end = log.total + (fcntl.fcntl(reader, _F_GETPIPE_SZ) if _F_GETPIPE_SZ else _READ_BYTES)
            while self.read(reader) and log.total < end:
                pass
        self.out.close()
        self.err.close()
