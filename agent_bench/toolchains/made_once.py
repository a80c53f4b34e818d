"""Folders in the cache that are made once: whole or not there, whatever ends the making, whoever else is at it."""

import fcntl
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio.to_thread import run_sync

_AGAIN_SEC = 0.1


async def made_once(target: Path, fill: Callable[[Path], Awaitable[None]]) -> Path:
    """The folder; where it is missing, ``fill`` is given another name for it, moved into place when it is done.

    Others that want the same wait for who is making it, in this process and in others.
    """
    if await run_sync(target.is_dir):
        return target
    await run_sync(lambda: target.parent.mkdir(parents=True, exist_ok=True))
    async with _alone(target.with_name(f".{target.name}.lock")):
        if not await run_sync(target.is_dir):
            await _make(target, fill)
    return target


async def _make(target: Path, fill: Callable[[Path], Awaitable[None]]) -> None:
    making = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    await run_sync(making.mkdir)
    try:
        await fill(making)
        await run_sync(making.rename, target)
    finally:
        with anyio.CancelScope(shield=True):
            await run_sync(lambda: shutil.rmtree(making, ignore_errors=True))


@asynccontextmanager
async def _alone(lock: Path) -> AsyncIterator[None]:
    """While nobody else holds the lock; the kernel frees it if we die."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        while not _is_locked(descriptor):
            await anyio.sleep(_AGAIN_SEC)
        yield
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
