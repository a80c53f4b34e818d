"""One command under supervision: hold its limits, keep what it says, end all of it, report.

Runs in a process of its own (``supervisor`` forks it), so that every child and orphan here is the command's.
"""

import os
import select
import signal
import time
from collections.abc import Mapping
from typing import Any

from agent_bench.supervision.process_tree import Tree
from agent_bench.supervision.processes import number_inside, send
from agent_bench.supervision.program import start
from agent_bench.supervision.sandbox_watch import SandboxWatch
from agent_bench.supervision.streams import Streams

KILL_SEC = 10.0
"""How long killed processes may take to vanish before they count as survivors (stuck in the kernel)."""
_LAST_WORDS_SEC = 0.2
"""What still runs when the command ended may finish its output (``exec > >(tee log)``) for so long."""
_TICK_SEC = 0.002
"""Between two looks at what gives no notice of its end: the init of a sandbox, what descends from others."""
_LONGEST_WAIT_SEC = 3600.0
"""The system call takes no endless limit."""
_REASON_BYTES = 1000
"""Of what a sandbox says when it fails."""


class Command:
    """A running command and the one report on it."""

    def __init__(self, request: Mapping[str, Any], control: int) -> None:
        """``control``: a byte asks to end the command; end of file, without grace, as nobody waits for it.

        Raises OSError if it cannot be started.
        """
        self._limits = request["limits"]
        self._tree = Tree(request["marker"].encode())
        self._streams = Streams(request["stdout"], request["stderr"])
        self._sandbox = SandboxWatch() if request["status_fd"] is not None else None
        self._control = control
        self._woken = _wake_on_child()
        self._poll = select.poll()
        for descriptor in (control, self._woken, *self._streams.readers):
            self._poll.register(descriptor, select.POLLIN)
        self._fired: tuple[str, float] | None = None
        self._is_cancelled = False
        self._is_abandoned = False
        self._is_ended_by_us = False
        self._started = self._last_output = time.monotonic()
        self._pid = start(request, self._streams.writers, self._sandbox.descriptor if self._sandbox else None)
        self._streams.close_writers()

    def supervise(self) -> dict[str, Any]:
        """Until the command and all that it started are gone; the report."""
        while not (self._has_ended or self._fired or self._is_cancelled):
            self._wait(self._next_limit()[0])
            self._check_limits()
        self._is_ended_by_us = not self._has_ended
        if self._is_ended_by_us:
            self._terminate()
        seconds = time.monotonic() - self._started
        self._hear_last_words()
        leftovers, survivors = self._end_all()
        self._streams.close()
        self._check_output()
        return self._report(seconds, leftovers, survivors)

    @property
    def _has_ended(self) -> bool:
        return self._pid in self._tree.statuses or self._pid in self._tree.held

    # ---------------------------------------------------------------------------------------- waiting

    def _wait(self, deadline: float) -> None:
        """Handle what happens next, until ``deadline`` at the latest."""
        seconds = min(max(0.0, deadline - time.monotonic()), _LONGEST_WAIT_SEC)
        for descriptor, _ in self._poll.poll(seconds * 1000):
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
            self._is_abandoned = True
            self._poll.unregister(self._control)

    def _listen(self, reader: int) -> None:
        if self._streams.read(reader):
            self._last_output = time.monotonic()
        if reader not in self._streams.readers:
            self._poll.unregister(reader)

    # ----------------------------------------------------------------------------------------- limits

    def _next_limit(self) -> tuple[float, str, float]:
        """When which limit of time is exceeded if nothing happens before, and its value."""
        since = {"wall_sec": self._started, "idle_sec": self._last_output}
        if not self._streams.total:
            since["startup_sec"] = self._started
        values = {name: self._limits[name] for name in since if self._limits[name] is not None}
        return min((since[name] + value, name, value) for name, value in values.items())

    def _check_limits(self) -> None:
        moment, name, value = self._next_limit()
        if time.monotonic() >= moment and not self._has_ended:
            self._fired = (name, value)
        self._check_output()

    def _check_output(self) -> None:
        """Holds also for a command that has ended by itself: who was first is a matter of microseconds."""
        limit = self._limits["output_bytes"]
        if limit is not None and self._streams.total > limit and not self._fired:
            self._fired = ("output_bytes", limit)

    # ----------------------------------------------------------------------------------------- ending

    def _is_any_left(self) -> bool:
        """Whether anything of the command lives, the sandbox's own two processes apart."""
        has_children = self._tree.reap()
        if self._sandbox and self._has_ended:
            return self._sandbox.is_inhabited
        return has_children

    def _hear_last_words(self) -> None:
        deadline = time.monotonic() + (0.0 if self._is_ended_by_us else _LAST_WORDS_SEC)
        while self._streams.readers and self._is_any_left() and time.monotonic() < deadline:
            self._wait(min(deadline, time.monotonic() + _TICK_SEC))

    def _terminate(self) -> None:
        """Ask all of it to end, and give it its grace."""
        if self._is_abandoned:
            return
        deadline = time.monotonic() + self._limits["grace_sec"]
        for process in self._tree.members():
            # The outer process of a sandbox would pass nothing on and take all inside with it.
            if not (self._sandbox and process[0] == self._pid):
                send(process, signal.SIGTERM)
                send(process, signal.SIGCONT)
        while self._is_any_left() and not self._is_abandoned and time.monotonic() < deadline:
            self._wait(min(deadline, time.monotonic() + _TICK_SEC))

    def _end_all(self) -> tuple[int, int]:
        """Kill what is left: how many processes besides the command itself, and how many still live."""
        own = {self._pid}
        if self._sandbox and self._is_any_left():
            # The sandbox's init and the program itself are its first two.
            own |= {process[0] for process in self._tree.members() if number_inside(process) in (1, 2)}
        elif self._sandbox:
            self._let_sandbox_end()
        killed, survivors = self._tree.kill(KILL_SEC)
        return len({pid for pid, _ in killed} - own), survivors

    def _let_sandbox_end(self) -> None:
        """Empty, it takes itself down in no time: cheaper than to look for what to kill."""
        self._tree.release()
        deadline = time.monotonic() + _LAST_WORDS_SEC
        while self._tree.reap() and time.monotonic() < deadline:
            self._wait(deadline)

    # -------------------------------------------------------------------------------------- reporting

    def _exit_code(self) -> int | None:
        status = self._tree.statuses.get(self._pid)
        code = None if status is None else os.waitstatus_to_exitcode(status)
        if not self._sandbox:
            return code
        inside = self._sandbox.exit_code
        if inside is None:
            return code if self._is_ended_by_us else None
        # 128 + n may be the program's own choice, unless it follows on a signal of ours.
        is_signal = self._is_ended_by_us and inside in (128 + signal.SIGTERM, 128 + signal.SIGKILL)
        return 128 - inside if is_signal else inside

    def _sandbox_failure(self) -> str | None:
        """Why the sandbox did not start the program, or not see it to its end, if so."""
        if not self._sandbox or self._is_ended_by_us or self._sandbox.exit_code is not None:
            return None
        if os.WIFSIGNALED(status := self._tree.statuses.get(self._pid, 0)):
            return f"the sandbox was killed by signal {os.WTERMSIG(status)}; is the memory full?"
        words = self._streams.err.beginning(_REASON_BYTES).strip()
        return "the sandbox could not start the program: " + words.decode("utf-8", "replace")

    def _report(self, seconds: float, leftovers: int, survivors: int) -> dict[str, Any]:
        failure = self._sandbox_failure()
        stuck = f"{survivors} processes could not be killed" if survivors else None
        return {
            "exit_code": None if failure else self._exit_code(),
            "limit": self._fired,
            "cancelled": self._is_cancelled,
            "seconds": seconds,
            "output_bytes": self._streams.total,
            "bytes_cut": self._streams.cut,
            "leftovers": leftovers,
            "survivors": survivors,
            "fault": failure or stuck or self._streams.error,
        }


def _wake_on_child() -> int:
    """A descriptor that becomes readable when a child stops or ends."""
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return woken
