"""Ctrl-C: once ends the run in order, twice ends it now."""

import os
import signal
from collections.abc import Awaitable, Callable

import anyio

from agent_bench.cli.output import note

INTERRUPTED_EXIT = 130


def run_interruptibly(work: Callable[[], Awaitable[None]]) -> bool:
    """Runs async work; returns whether it was interrupted by SIGINT, SIGTERM or SIGHUP.

    The first signal cancels the work, which ends its agents and records them; the second kills at once: the
    agents' supervisor notices that we are gone and leaves nothing alive.
    """
    return anyio.run(_run, work)


async def _run(work: Callable[[], Awaitable[None]]) -> bool:
    interrupted = False
    async with anyio.create_task_group() as group:

        async def watch() -> None:
            nonlocal interrupted
            wanted = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
            with anyio.open_signal_receiver(*wanted) as signals:
                async for _ in signals:
                    if interrupted:
                        os._exit(INTERRUPTED_EXIT)
                    interrupted = True
                    note(
                        "stopping: ending the agents and recording them; once more to stop at once",
                        style="yellow",
                    )
                    scope.cancel()

        group.start_soon(watch)
        with anyio.CancelScope() as scope:
            await work()
        group.cancel_scope.cancel()
    return interrupted
