"""Find, signal and prove the end of all processes that descend from this one, or that carry a marker.

Standard library alone, and little of it: the supervisor loads it, and its start-up has to be light.

Two ways to find a process, since each has a hole. *Descent*: on Linux this process is a child subreaper, so
whatever its parents did (``setsid``, double fork, ``env -i``), an orphan of the tree becomes our child; when
``waitpid`` says that we have no child left, no descendant lives. *Marker*: an environment variable, which also
finds what another daemon started for the tree, and what escaped where there is no subreaper (macOS).
"""

import os
import signal
import sys
import time
from collections.abc import Collection, Iterator

from agent_bench.supervision.exit_hold import is_held, let_go

Process = tuple[int, str]
"""Number and start time: numbers are used again. The start is in whatever form the system gives."""

IS_LINUX = sys.platform == "linux"

_PR_SET_CHILD_SUBREAPER = 36
_PAUSE_SEC = 0.001
"""Between two looks at processes that were killed: the kernel needs about so long to take one down."""


# ------------------------------------------------------------------------------------------- looking


def _read(path: str) -> bytes:
    """A whole small file of /proc; empty if the process is gone or not ours to read."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    parts = []
    try:
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
    return b"".join(parts)


def _numbers() -> list[int]:
    """All process numbers, newest first: what forks quickly is met before it is gone again."""
    return sorted((int(name) for name in os.listdir("/proc") if name.isdigit()), reverse=True)


def _look_at(pid: int) -> tuple[int, Process] | None:
    """Parent and identity of a living process, from /proc; None if there is none."""
    # The name stands in parentheses and may itself hold any character, parentheses too.
    fields = _read(f"/proc/{pid}/stat").rpartition(b") ")[2].split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    return int(fields[1]), (pid, fields[19].decode())


def is_alive(pid: int) -> bool:
    """Whether a process with this number lives (Linux); the caller knows that it was not used again."""
    return _look_at(pid) is not None


def _ps(*options: str) -> list[str]:
    """Lines of ``ps`` over all processes; none if it fails or hangs."""
    import subprocess

    try:
        done = subprocess.run(["/bin/ps", "-A", *options], capture_output=True, timeout=5, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines()


def living_by_ps() -> Iterator[tuple[int, Process]]:
    """As ``living``, where there is no /proc."""
    for line in _ps("-o", "pid=,ppid=,stat=,lstart="):
        pid, parent, state, start = line.split(None, 3)
        if not state.startswith("Z"):
            yield int(parent), (int(pid), start.strip())


def living() -> Iterator[tuple[int, Process]]:
    """Every living process of the machine that can be seen, with its parent."""
    if not IS_LINUX:
        yield from living_by_ps()
        return
    for pid in _numbers():
        if entry := _look_at(pid):
            yield entry


def descendants(root: int, skip: Collection[int] = ()) -> set[Process]:
    """The living processes below ``root``, without those in ``skip`` and below these."""
    children: dict[int, list[Process]] = {}
    for parent, process in living():
        children.setdefault(parent, []).append(process)
    found: set[Process] = set()
    parents = [root]
    while parents:
        for child in children.pop(parents.pop(), ()):
            if child[0] not in skip:
                parents.append(child[0])
                found.add(child)
    return found


def marked(marker: bytes) -> set[Process]:
    """The living processes, but this one, that were started with ``marker`` (``NAME=value``) in their environment; none for an empty marker."""
    if not marker:
        return set()
    if not IS_LINUX:
        return _marked_by_ps(marker.decode())
    found = set()
    wanted = b"\0" + marker + b"\0"
    for pid in _numbers():
        if wanted in b"\0" + _read(f"/proc/{pid}/environ") and pid != os.getpid():
            entry = _look_at(pid)
            if entry:
                found.add(entry[1])
    return found


def _marked_by_ps(marker: str) -> set[Process]:
    """As ``marked`` by the ``ps`` of BSD and macOS, which shows the environment of our own processes."""
    lines = (line.split() for line in _ps("-E", "-ww", "-o", "pid=,command="))
    pids = {int(words[0]) for words in lines if marker in words[1:]} - {os.getpid()}
    return {process for _, process in living() if process[0] in pids} if pids else set()


def number_inside(process: Process) -> int | None:
    """The number that a process has in its own PID namespace: 1 is its init, 2 the first that init started."""
    for line in _read(f"/proc/{process[0]}/status").splitlines():
        if line.startswith(b"NSpid:"):
            return int(line.split()[-1])
    return None


# ------------------------------------------------------------------------------------------ signalling


def send(process: Process, number: int) -> None:
    """Signal exactly this process, never another that got its number; silent if it is gone or not ours."""
    try:
        if not IS_LINUX:
            os.kill(process[0], number)
            return
        handle = os.pidfd_open(process[0])
        try:
            now = _look_at(process[0])
            if now and now[1] == process:
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)
    except OSError:
        return


def become_subreaper() -> bool:
    """Make orphans of our tree our children; whether this machine can (Linux)."""
    if not IS_LINUX:
        return False
    import ctypes

    return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def kill_marked(marker: bytes, seconds: float) -> int:
    """Kill all that carry ``marker``; how many live on after ``seconds``. For whom they do not descend from."""
    deadline = time.monotonic() + seconds
    while (alive := marked(marker)) and time.monotonic() < deadline:
        for process in alive:
            send(process, signal.SIGKILL)
        time.sleep(_PAUSE_SEC)
    return len(alive)


# --------------------------------------------------------------------------------------------- the tree


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
        found = descendants(os.getpid(), self._skip) | marked(self._marker)
        if not self._is_subreaper:
            if self._seen:
                self._seen &= {process for _, process in living()}
            self._seen |= found
            found = set(self._seen)
        return found

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
        deadline = time.monotonic() + seconds
        killed = self._freeze(deadline)
        while not self.is_gone():
            alive = self.members()
            killed |= alive
            if time.monotonic() > deadline:
                return killed, max(1, len(alive))
            for process in alive:
                send(process, signal.SIGKILL)
            self.release()  # the held wait at their exit also when they are killed
            time.sleep(_PAUSE_SEC)
        return killed, 0

    def _freeze(self, deadline: float) -> set[Process]:
        """Stop all of it, until a look finds nothing new: what is stopped cannot fork away from the killing."""
        frozen: set[Process] = set()
        while (new := self.members() - frozen) and time.monotonic() < deadline:
            for process in new:
                send(process, signal.SIGSTOP)
            frozen |= new
        return frozen
