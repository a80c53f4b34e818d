"""Start the program of a request: its descriptors, its limits, a session of its own."""

import fcntl
import os
import resource
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from agent_bench.supervision.exit_hold import hold_at_exit

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
    inputs = {0: os.open(request["stdin"] or os.devnull, os.O_RDONLY)}
    texts: dict[int, str] = {}
    for number, text in request["descriptors"].items():
        inputs[int(number)], writer = os.pipe()
        texts[writer] = text
    wanted = {**inputs, 1: streams[0], 2: streams[1]}
    if status is not None:
        wanted[request["status_fd"]] = status
    # First all out of the way, so that none is overwritten before it is copied; exec closes all the rest.
    actions = [(os.POSIX_SPAWN_DUP2, _above(source), number) for number, source in wanted.items()]
    _limit(request["limits"])
    argv, env = request["argv"], request["env"]
    # The program is looked for in the PATH of its own environment, never in ours.
    program = _find(argv[0], env)
    pid = os.posix_spawn(program, argv, env, file_actions=actions, setsid=True, setsigdef=_PYTHONS_OWN)
    for descriptor in (*(copy for _, copy, _ in actions), *inputs.values()):
        os.close(descriptor)
    if status is not None:
        hold_at_exit(pid)  # before it is told what to do, so that it cannot have ended yet
    for writer, text in texts.items():
        with suppress(BrokenPipeError), os.fdopen(writer, "wb") as pipe:
            pipe.write(os.fsencode(text))
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


def _limit(limits: Mapping[str, Any]) -> None:
    """Limits that the program inherits and cannot raise.

    We keep them too. It costs us nothing unless they are smaller than our own needs: 64 MiB of address space, and
    2.1 MiB of log (a log that ends there is told as a fault).
    """
    for name, kind in _LIMITS.items():
        if limits[name] is not None:
            resource.setrlimit(kind, (limits[name], limits[name]))
