"""Start the program of a request: its descriptors, its limits, a session of its own."""

import fcntl
import os
import resource
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

_FIRST_FREE = 64
"""Descriptors below it may be asked for by the command."""
_PYTHONS_OWN = (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python treats in its own way; programs start with the system's."""
_LIMITS = {"memory_bytes": resource.RLIMIT_AS, "file_bytes": resource.RLIMIT_FSIZE}


def start(request: Mapping[str, Any], streams: Sequence[int], status: int | None) -> int:
    """Start the program in a session of its own, and this process in its working directory.

    ``streams`` become its stdout and stderr; ``status`` the descriptor that the request names. Returns the
    number of the process. Raises OSError, with the file name if the folder or the input is missing.
    """
    os.chdir(request["cwd"])
    wanted = {0: os.open(request["stdin"] or os.devnull, os.O_RDONLY), 1: streams[0], 2: streams[1]}
    if status is not None:
        wanted[request["status_fd"]] = status
    for number, text in request["descriptors"].items():
        wanted[int(number)] = _memory_file(text)
    # First all out of the way, so that none is overwritten before it is copied; exec closes all the rest.
    actions = [(os.POSIX_SPAWN_DUP2, _above(source), number) for number, source in wanted.items()]
    with _soft_limits(request["limits"]):
        # The program is looked for in the PATH of its own environment, never in ours.
        program = _find(request["argv"][0], request["env"])
        pid = os.posix_spawn(
            program,
            request["argv"],
            request["env"],
            file_actions=actions,
            setsid=True,
            setsigdef=_PYTHONS_OWN,
        )
    _harden(pid, request["limits"])
    for _, descriptor, _ in actions:
        os.close(descriptor)
    return pid


def _find(name: str, env: Mapping[str, str]) -> str:
    """Where a program is. Raises FileNotFoundError without a file name."""
    if "/" in name:
        return name
    for folder in os.get_exec_path(env):
        place = f"{folder}/{name}"
        if os.access(place, os.X_OK) and not os.path.isdir(place):  # noqa: PTH112 - pathlib takes long to load
            return place
    raise FileNotFoundError(2, "no such program in its PATH")


def _above(descriptor: int) -> int:
    """The same open file on a number that no descriptor of the command takes; closed by exec."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)


def _memory_file(text: str) -> int:
    """A descriptor from which ``text`` can be read, and which leaves nothing on disk (Linux)."""
    descriptor = os.memfd_create("agent-bench")
    os.write(descriptor, os.fsencode(text))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


@contextmanager
def _soft_limits(limits: Mapping[str, Any]) -> Iterator[None]:
    """Limits that a program started meanwhile inherits; we, who have logs to write, do not keep them."""
    before = {name: resource.getrlimit(kind) for name, kind in _LIMITS.items() if limits[name] is not None}
    for name, (_, hard) in before.items():
        resource.setrlimit(_LIMITS[name], (limits[name], hard))
    try:
        yield
    finally:
        for name, both in before.items():
            resource.setrlimit(_LIMITS[name], both)


def _harden(pid: int, limits: Mapping[str, Any]) -> None:
    """Take from a program that has just started the right to raise its limits again (Linux)."""
    for name, kind in _LIMITS.items():
        if limits[name] is not None and hasattr(resource, "prlimit"):
            with suppress(OSError):  # it has ended already
                resource.prlimit(pid, kind, (limits[name], limits[name]))
