"""The tree of processes below this one: prove that it is gone, or make it so.

Two ways to find a process, since each has a hole. *Descent*: on Linux this process is a child subreaper, so
whatever its parents did (``setsid``, double fork, ``env -i``), an orphan of the tree becomes our child; when
``waitpid`` says that we have no child left, no descendant lives. *Marker*: an environment variable, which
also finds what another daemon started for the tree, and what escaped where there is no subreaper (macOS).
"""

import ctypes
import os
import signal
import time
from collections.abc import Collection

from agent_bench.supervision.exit_hold import is_held, let_go
from agent_bench.supervision.processes import IS_LINUX, PAUSE_SEC, Process, descendants, living, marked, send

_PR_SET_CHILD_SUBREAPER = 36
_FREEZE_SEC = 1.0
"""For as long we try to stop those who fork faster than we look, before we kill what we see."""
_LONGEST_PAUSE_SEC = 0.05
"""Between two looks at processes that were killed."""


def become_subreaper() -> bool:
    """Make orphans of our tree our children; whether this machine can (Linux)."""
    return IS_LINUX and bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


class Tree:
    """All below this process, and all that carry a marker. Our own children are reaped on the way."""

    def __init__(self, marker: bytes, skip: Collection[int] = ()) -> None:
        self.statuses: dict[int, int] = {}
        """What ``waitpid`` said about each child that ended."""
        self.held: dict[int, int] = {}
        """What it said about each child that stands at its exit (see ``exit_hold``)."""
        self._marker = marker
        self._skip = skip
        """Children of ours that are no part of the tree."""
        self._is_subreaper = become_subreaper()
        self._seen: set[Process] = set()
        """Without a subreaper an orphan is known only if it was seen before it was one."""

    def reap(self) -> bool:
        """Collect children that ended; whether any child is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if not os.WIFSTOPPED(status):
                self.statuses[pid] = status
            elif is_held(status):
                self.held[pid] = status
            else:
                let_go(pid, status)

    def release(self) -> None:
        """Let the children go that were held at their exit."""
        while self.held:
            let_go(*self.held.popitem())

    def members(self) -> set[Process]:
        """The living processes of the tree, as far as one look can see them."""
        if self._is_subreaper:
            # Marked ones that do not descend from us are looked for last: it takes a look at all of the machine.
            return descendants(os.getpid(), self._skip) or marked(self._marker)
        found = descendants(os.getpid(), self._skip) | marked(self._marker)
        if self._seen:
            self._seen &= {process for _, process in living()}
        self._seen |= found
        return set(self._seen)

    def is_gone(self) -> bool:
        """Prove that nothing of the tree lives."""
        has_children = self.reap()
        if self._is_subreaper and not self._skip:
            return not has_children and not marked(self._marker)
        # A look is no snapshot: what changes its parent meanwhile can be missed once.
        return not self.members() and not self.members()

    def kill(self, seconds: float) -> tuple[set[Process], int]:
        """End all of it: which processes had to be killed, and how many still live after ``seconds``."""
        if self.is_gone():
            return set(), 0
        killed = self._freeze()
        deadline = time.monotonic() + seconds
        pause = PAUSE_SEC
        while True:
            alive = self.members()
            killed |= alive
            for process in alive:
                send(process, signal.SIGKILL)
            self.release()  # the held wait at their exit also when they are killed
            time.sleep(pause)
            if self.is_gone():
                return killed, 0
            if time.monotonic() > deadline:
                return killed, max(1, len(alive))
            pause = min(2 * pause, _LONGEST_PAUSE_SEC)  # on a busy machine looking is what keeps it busy

    def _freeze(self) -> set[Process]:
        """Stop all of it, until a look finds nothing new: what is stopped cannot fork away."""
        frozen: set[Process] = set()
        deadline = time.monotonic() + _FREEZE_SEC
        while (new := self.members() - frozen) and time.monotonic() < deadline:
            for process in new:
                send(process, signal.SIGSTOP)
            frozen |= new
        return frozen
