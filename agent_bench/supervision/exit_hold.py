"""Hold a child at its exit, before the kernel acts on it, so that what depends on it can be looked at first.

By ``ptrace``; where that is not permitted the child just exits. The child is neither slowed down nor watched.
"""

import ctypes
import os

_PTRACE_CONT = 7
_PTRACE_SEIZE = 0x4206
_PTRACE_EVENT_EXIT = 6
_PTRACE_O_TRACEEXIT = 1 << _PTRACE_EVENT_EXIT
_PTRACE_O_EXITKILL = 0x100000
"""Should we die, the child dies."""


def _ptrace(request: int, pid: int, data: int) -> None:
    call = ctypes.CDLL(None).ptrace
    call.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    call(request, pid, None, data)


def hold_at_exit(pid: int) -> None:
    """Have a child of ours (Linux) stop when about to exit; ``waitpid`` then says so, see ``is_held``."""
    _ptrace(_PTRACE_SEIZE, pid, _PTRACE_O_TRACEEXIT | _PTRACE_O_EXITKILL)


def is_held(status: int) -> bool:
    """Whether a stop that ``waitpid`` told of is the one at the exit."""
    return status >> 16 == _PTRACE_EVENT_EXIT


def let_go(pid: int, status: int) -> None:
    """Let a child go on after a stop that ``waitpid`` told of, signal included."""
    _ptrace(_PTRACE_CONT, pid, 0 if status >> 16 else os.WSTOPSIG(status))
