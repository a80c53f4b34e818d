"""One command under supervision: hold its limits, keep what it says, end all of it, report.

Runs in a process of its own (``supervisor`` forks it), so that every child and orphan here is the command's.
"""

import json
import os
import select
import signal
import time
from collections.abc import Mapping
from typing import Any

from agent_bench.supervision.process_tree import Process, Tree, number_inside, send
from agent_bench.supervision.program import start
from agent_bench.supervision.streams import Streams

KILL_SEC = 5.0
"""How long killed processes may take to vanish before they count as survivors (stuck in the kernel)."""
_LAST_WORDS_SEC = 0.2
"""What still runs when the command ended may finish its output (``exec > >(tee log)``) for so long."""
_LOOK_SEC = 0.02
"""Between two looks at whether SIGTERM was obeyed."""


class Command:
    """A running command and the one report on it."""

    def __init__(self, request: Mapping[str, Any], control: int) -> None:
        """``control``: a byte asks to end the command; end of file, to end it with no grace, as nobody is left to ask.

        Raises OSError if it cannot be started for want of files or processes.
        """
        self._request = request
        self._limits = request["limits"]
        self._control = control
        self._tree = Tree(request["marker"].encode())
        self._streams = Streams(request["stdout"], request["stderr"])
        self._status = os.memfd_create("status") if request["status_fd"] is not None else None
        self._poll = select.poll()
        self._woken = _wake_on_child()
        for descriptor in (control, self._woken, *self._streams.readers):
            self._poll.register(descriptor, select.POLLIN)
        self._fired: tuple[str, float] | None = None
        self._is_cancelled = False
        self._has_master = True
        self._started = self._last_output = time.monotonic()
        self._pid, self._failure = start(request, self._streams.writers, self._status)
        self._streams.close_writers()

    def supervise(self) -> dict[str, Any]:
        """Until the command and all that it started are gone; the report."""
        while not (self._has_ended or self._fired or self._is_cancelled):
            self._wait(self._next_limit()[0])
            self._check_limits()
        if self._has_ended:
            seconds = time.monotonic() - self._started
            self._hear_last_words()
        else:
            self._terminate()
            seconds = time.monotonic() - self._started
        own = self._own() if self._tree.reap() else set()
        killed, survivors = self._tree.kill(KILL_SEC)
        self._streams.close()
        self._check_output()
        return self._report(seconds, len({pid for pid, _ in killed} - own), survivors)

    @property
    def _has_ended(self) -> bool:
        return self._pid in self._tree.statuses

    # ---------------------------------------------------------------------------------------- waiting

    def _wait(self, deadline: float) -> None:
        """Handle what happens next, until ``deadline`` at the latest."""
        for descriptor, _ in self._poll.poll(max(0, (deadline - time.monotonic()) * 1000)):
            if descriptor == self._control:
                self._obey()
            elif descriptor == self._woken:
                os.read(self._woken, 1024)
                self._tree.reap()
            else:
                self._listen(descriptor)

    def _obey(self) -> None:
        self._is_cancelled = True
        if not os.read(self._control, 64):
            self._has_master = False
            self._poll.unregister(self._control)

    def _listen(self, reader: int) -> None:
        if self._streams.read(reader):
            self._last_output = time.monotonic()
        if reader not in self._streams.readers:
            self._poll.unregister(reader)

    # ----------------------------------------------------------------------------------------- limits

    def _next_limit(self) -> tuple[float, str, float]:
        """When which limit of time will have been exceeded if nothing happens, and its value."""
        moments = {"wall_sec": self._started, "idle_sec": self._last_output}
        if not self._streams.total:
            moments["startup_sec"] = self._started
        return min(
            (moment + self._limits[name], name, self._limits[name])
            for name, moment in moments.items()
            if self._limits[name] is not None
        )

    def _check_limits(self) -> None:
        moment, name, value = self._next_limit()
        if not self._has_ended and time.monotonic() >= moment:
            self._fired = (name, value)
        self._check_output()

    def _check_output(self) -> None:
        """Also when the command ended by itself meanwhile: whether it did is a matter of microseconds."""
        limit = self._limits["output_bytes"]
        if limit is not None and self._streams.total > limit and not self._fired:
            self._fired = ("output_bytes", limit)

    # ----------------------------------------------------------------------------------------- ending

    def _hear_last_words(self) -> None:
        deadline = time.monotonic() + _LAST_WORDS_SEC
        while self._streams.readers and self._tree.reap() and time.monotonic() < deadline:
            self._wait(deadline)

    def _terminate(self) -> None:
        """Ask all of it to end, and give it its grace."""
        if not self._has_master:
            return
        deadline = time.monotonic() + self._limits["grace_sec"]
        own = self._own()
        for process in self._tree.members():
            if process[0] not in own:
                send(process, signal.SIGTERM)
                send(process, signal.SIGCONT)
        while self._has_master and self._is_any_left(own) and time.monotonic() < deadline:
            self._wait(min(deadline, time.monotonic() + _LOOK_SEC))
        
    # -------------------------------------------------------------------------------------- reporting
