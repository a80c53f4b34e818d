"""One command under supervision: start it, keep what it says, hold its limits, end all of it, report.

Runs in a process of its own (``supervisor`` forks it), whose only descendants are the command's. Standard
library alone. On Linux and macOS; nothing here is loaded on other systems.
"""

import fcntl
import json
import os
import resource
import select
import signal
import sys
import time
from typing import Any

from agent_bench.output_log import OutputLog
from agent_bench.process_tree import IS_LINUX, Tree, die_with_parent, send

KILL_SEC = 5.0
"""How long killed processes may take to vanish before they count as survivors (stuck in the kernel)."""
_DRAIN_SEC = 0.2
"""What is still running when the command ended may finish a last line (``exec > >(tee log)``) for so long."""
_LOOK_SEC = 0.02
"""Between two looks at whether SIGTERM was obeyed."""
_READ_BYTES = 1 << 16
"""As much as a pipe holds."""

Request = dict[str, Any]
Report = dict[str, Any]


def _move_up(descriptor: int) -> int:
    """The same open file on a number that no descriptor of the command uses."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 64)


def _memory_file(text: str) -> int:
    """A descriptor from which ``text`` can be read, and which leaves nothing on disk."""
    descriptor = os.memfd_create("agent-bench")
    os.write(descriptor, text.encode("utf-8", "surrogateescape"))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


class Streams:
    """The pipes of a command's stdout and stderr, emptied into their logs as they fill."""

    def __init__(self, out: str, err: str) -> None:
        self.logs = (OutputLog(out), OutputLog(err))
        self.writers: tuple[int, ...] = ()
        self._open: dict[int, OutputLog] = {}
        for log in self.logs:
            reader, writer = os.pipe()
            os.set_blocking(reader, False)
            self.writers += (writer,)
            self._open[reader] = log

    @property
    def readers(self) -> tuple[int, ...]:
        """The pipes that somebody can still write to, as far as we know."""
        return tuple(self._open)

    @property
    def total(self) -> int:
        """Bytes that were written so far."""
        return sum(log.total for log in self.logs)

    def read(self, reader: int) -> bool:
        """Take what is there, a pipe's fill at most; whether there was any."""
        try:
            piece = os.read(reader, _READ_BYTES)
        except BlockingIOError:
            return False
        if piece:
            self._open[reader].write(piece)
        else:
            del self._open[reader]
            os.close(reader)
        return bool(piece)

    def close(self) -> str | None:
        """Take what the pipes still hold, though not from somebody who goes on writing; what went wrong."""
        for reader in self.readers:
            limit = fcntl.fcntl(reader, fcntl.F_GETPIPE_SZ) if IS_LINUX else _READ_BYTES
            taken = self._open[reader].total
            while self.read(reader) and self._open[reader].total - taken < limit:
                pass
        for log in self.logs:
            log.close()
        return next((f"cannot write the log: {log.error}" for log in self.logs if log.error), None)


class Command:
    """A running command. ``supervise`` is its whole life."""

    def __init__(self, request: Request, control: int) -> None:
        """``control``: a byte on it asks to end the command; its end of file, to end it without any grace."""
        self._limits = request["limits"]
        self._control = control
        self._tree = Tree(request["marker"].encode())
        self._streams = Streams(request["stdout"], request["stderr"])
        self._status = os.memfd_create("status") if request["status_fd"] is not None else None
        self._failure, failure_writer = os.pipe()
        self._woken, wake = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._poll = select.poll()
        for descriptor in (control, self._woken, *self._streams.readers):
            self._poll.register(descriptor, select.POLLIN)
        self._started = self._last_output = time.monotonic()
        self._fired: tuple[str, float] | None = None
        self._cancelled = False
        self._has_parent = True
        self._pid = self._fork(request, failure_writer)
        for descriptor in (failure_writer, *self._streams.writers):
            os.close(descriptor)

    def supervise(self) -> Report:
        """Until the command and all that it started are gone."""
        while not self._has_ended and not self._fired and not self._cancelled:
            self._wait(self._next_deadline()[0])
            self._check_limits()
        seconds = time.monotonic() - self._started
        if self._fired or self._cancelled:
            self._terminate()
        else:
            self._wait_for_last_words()
        killed, survivors = self._tree.kill(KILL_SEC)
        ...
