"""List the machine's processes and signal one of them, wherever it stands in the tree.

Standard library alone, and little of it: the supervisor loads it, and its start-up has to be light.
"""

import os
import signal
import sys
import time
from collections.abc import Collection, Iterator

Process = tuple[int, str]
"""Number and start time: numbers are used again. The start is in whatever form the system gives."""

IS_LINUX = sys.platform == "linux"

PAUSE_SEC = 0.001
"""Between two looks at processes that were killed: the kernel needs about so long to take one down."""


def _read_all(descriptor: int) -> bytes:
    parts = []
    try:
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
    return b"".join(parts)


def _read(path: str) -> bytes:
    """A whole small file of /proc; empty if the process is gone or not ours to read."""
    try:
        return _read_all(os.open(path, os.O_RDONLY))
    except OSError:
        return b""


def _numbers() -> list[int]:
    """All process numbers, newest first: what forks quickly is met before it is gone again."""
    names = os.listdir("/proc")  # noqa: PTH208 - pathlib takes long to load
    return sorted((int(name) for name in names if name.isdigit()), reverse=True)


def _look_at(pid: int) -> tuple[int, Process] | None:
    """Parent and identity of a living process, from /proc; None if there is none."""
    # The name stands in parentheses and may itself hold any character, parentheses too.
    fields = _read(f"/proc/{pid}/stat").rpartition(b") ")[2].split()
    if len(fields) < 20 or (fields[0] in (b"Z", b"X") and int(fields[17]) <= 1):
        return None  # dead; with more threads than the first, which has ended, it is not
    return int(fields[1]), (pid, fields[19].decode())


def is_alive(pid: int) -> bool:
    """Whether a process with this number lives (Linux); the caller knows that it was not used again."""
    return _look_at(pid) is not None


def number_inside(process: Process) -> int | None:
    """The number of a process in its own PID namespace: 1 is its init, 2 the first that init started."""
    for line in _read(f"/proc/{process[0]}/status").splitlines():
        if line.startswith(b"NSpid:"):
            return int(line.split()[-1])
    return None


# ------------------------------------------------------------------------------------ without a /proc


def _ps(*options: str) -> list[str]:
    """Lines of ``ps`` over all processes; none if there is no ``ps``."""
    reader, writer = os.pipe()
    try:
        actions = [(os.POSIX_SPAWN_DUP2, writer, 1)]
        pid = os.posix_spawn("/bin/ps", ["ps", "-A", *options], {}, file_actions=actions)
    except OSError:
        os.close(reader)
        return []
    finally:
        os.close(writer)
    lines = _read_all(reader).decode("utf-8", "replace").splitlines()
    os.waitpid(pid, 0)
    return lines


def living_by_ps() -> Iterator[tuple[int, Process]]:
    """As ``living``, by the ``ps`` of any system."""
    for line in _ps("-o", "pid=,ppid=,stat=,lstart="):
        pid, parent, state, start = line.split(None, 3)
        if not state.startswith("Z"):
            yield int(parent), (int(pid), start.strip())


def _marked_by_ps(marker: str) -> set[Process]:
    """As ``marked``, by the ``ps`` of BSD and macOS, which shows the environment of our own processes."""
    lines = (line.split() for line in _ps("-E", "-ww", "-o", "pid=,command="))
    pids = {int(words[0]) for words in lines if marker in words[1:]} - {os.getpid()}
    return {process for _, process in living() if process[0] in pids} if pids else set()


# ------------------------------------------------------------------------------------------- looking


def living() -> Iterator[tuple[int, Process]]:
    """Every living process of the machine that can be seen, with its parent."""
    if not IS_LINUX:
        yield from living_by_ps()
        return
    for pid in _numbers():
        if entry := _look_at(pid):
            yield entry


def _children(pid: int) -> list[int]:
    """Numbers of a process's children, of all its threads, as the kernel lists them."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - pathlib takes long to load
    except OSError:
        return []
    lists = [_read(f"/proc/{pid}/task/{thread}/children") for thread in threads]
    return [int(number) for numbers in lists for number in numbers.split()]


def descendants(root: int, skip: Collection[int] = ()) -> set[Process]:
    """The living processes below ``root``, without those in ``skip`` and below these.

    One look is no snapshot: what changes its parent meanwhile can be missed.
    """
    if not os.path.exists("/proc/thread-self/children"):  # noqa: PTH110 - pathlib takes long to load
        return _descendants_among_all(root, skip)
    found: set[Process] = set()
    parents = [root]
    while parents:
        for pid in _children(parents.pop()):
            if pid not in skip and (entry := _look_at(pid)):
                parents.append(pid)
                found.add(entry[1])
    return found


def _descendants_among_all(root: int, skip: Collection[int]) -> set[Process]:
    """As ``descendants``, where the kernel does not list children: ten times as slow."""
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
    """The living processes, but this one, that were started with ``NAME=value`` in their environment.

    None for an empty marker. Other users' environments cannot be read, and so nothing of theirs is found.
    """
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


def kill_marked(marker: bytes, seconds: float) -> int:
    """Kill all that carry ``marker``; how many live on after ``seconds``."""
    deadline = time.monotonic() + seconds
    while (alive := marked(marker)) and time.monotonic() < deadline:
        for process in alive:
            send(process, signal.SIGKILL)
        time.sleep(PAUSE_SEC)
    return len(alive)
