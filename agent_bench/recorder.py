"""One writer for the records of a run: files first, then the database, many at a time."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from anyio.to_thread import run_sync

from agent_bench.history.files import write_record
from agent_bench.history.store import History
from agent_bench.model import TrialRecord


@dataclass(frozen=True)
class _Item:
    record: TrialRecord
    written: anyio.Event = field(default_factory=anyio.Event)


@dataclass(frozen=True)
class HistoryRecorder:
    """A recorder that hands records to the writer and waits until they are durable."""

    stream: MemoryObjectSendStream[_Item]

    async def __call__(self, record: TrialRecord) -> None:
        """Returns once the record's file and its row are on disk."""
        item = _Item(record)
        await self.stream.send(item)
        await item.written.wait()


@asynccontextmanager
async def open_recorder(history: History) -> AsyncIterator[HistoryRecorder]:
    """A recorder whose writer ends, with nothing left to write, when the context does."""
    sender, receiver = anyio.create_memory_object_stream[_Item](math.inf)
    async with anyio.create_task_group() as group:
        # Shielded: what is interrupted still has to be recorded.
        group.start_soon(_write_all, receiver, history)
        try:
            yield HistoryRecorder(sender)
        finally:
            sender.close()


async def _write_all(receiver: MemoryObjectReceiveStream[_Item], history: History) -> None:
    with anyio.CancelScope(shield=True):
        async with receiver:
            async for item in receiver:
                batch = [item]
                while len(batch) < 100:
                    try:
                        batch.append(receiver.receive_nowait())
                    except (anyio.WouldBlock, anyio.EndOfStream):
                        break
                await run_sync(_write, history, [queued.record for queued in batch])
                for queued in batch:
                    queued.written.set()


def _write(history: History, records: list[TrialRecord]) -> None:
    for record in records:
        write_record(record)
    history.add_records(records)
