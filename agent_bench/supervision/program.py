"""Fork and become the program of a request. Between fork and exec only simple system calls happen."""

import fcntl
import os
import resource
import signal
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from agent_bench.supervision.process_tree import die_with_parent

_FIRST_FREE = 64
"""Descriptors below it may be asked for by the command."""


def start(request: Mapping[str, Any], streams: Sequence[int], status: int | None) -> tuple[int, int]:
    """Start the program in a session of its own.

    ``streams`` become its stdout and stderr; ``status`` the descriptor that the request names. Returns the number
    of the process and a descriptor that yields, once the process ended, why it could not become the program (or
    nothing if it did). Raises OSError if there can be no further process.
    """
    failure, failure_writer = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _become(request, parent, streams, status, _above(failure_writer))
    os.close(failure_writer)
    return pid, failure


def _above(descriptor: int) -> int:
    """The same open file on a number that no descriptor of the command takes; closed by exec."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)


def _become(
    request: Mapping[str, Any], parent: int, streams: Sequence[int], status: int | None, failure: int
) -> NoReturn:
    try:
        os.setsid()
        die_with_parent(parent)
        _connect(request, streams, status)
        _limit(request["limits"])
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)  # Python's own ways would be inherited
        os.chdir(request["cwd"])
        # The program is looked for in the PATH of its own environment, never in ours.
        os.execvpe(request["argv"][0], request["argv"], request["env"])
    except BaseException as error:  # the reason has to reach the parent whatever it is
        os.write(failure, _reason(error, request).encode("utf-8", "replace")[:4000])
    finally:
        os._exit(127)


def _connect(request: Mapping[str, Any], streams: Sequence[int], status: int | None) -> None:
    """Descriptors 0, 1, 2 and those that the request names; all others are closed by exec."""
    wanted = {0: os.open(request["stdin"] or os.devnull, os.O_RDONLY), 1: streams[0], 2: streams[1]}
    if status is not None:
        wanted[request["status_fd"]] = status
    for number, text in request["descriptors"].items():
        wanted[int(number)] = _memory_file(text)
    sources = {number: _above(descriptor) for number, descriptor in wanted.items()}
    for number, descriptor in sources.items():
        os.dup2(descriptor, number)


def _memory_file(text: str) -> int:
    """A descriptor from which ``text`` can be read, and which leaves nothing on disk (Linux)."""
    descriptor = os.memfd_create("agent-bench")
    os.write(descriptor, os.fsencode(text))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _limit(limits: Mapping[str, Any]) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name, kind in (("memory_bytes", resource.RLIMIT_AS), ("file_bytes", resource.RLIMIT_FSIZE)):
        if limits[name] is not None:
            resource.setrlimit(kind, (limits[name], limits[name]))


def _reason(error: BaseException, request: Mapping[str, Any]) -> str:
    words = error.strerror if isinstance(error, OSError) and error.strerror else repr(error)
    culprit = getattr(error, "filename", None)
    where = f": {culprit}" if culprit in (request["cwd"], request["stdin"]) else ""
    return f"cannot start {request['argv'][0]!r}: {words}{where}"
