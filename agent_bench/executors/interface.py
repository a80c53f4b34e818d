"""The contract of an executor: where trials run. It runs those of a plan that have no finished record yet."""

from typing import Protocol

from agent_bench.model import Trial, TrialRecord


class Progress(Protocol):
    """Is told what happens, as it happens. Must not block."""

    def started(self, trial: Trial) -> None:
        """The trial has a slot; also called for each further try."""

    def phase(self, trial: Trial, name: str) -> None:
        """The trial is in this phase now: ``preparing``, ``agent`` or ``grading``."""

    def waiting(self, trial: Trial, delay_sec: float, reason: str) -> None:
        """A try failed through a fault of ours or the provider's; the next one starts after the delay."""

    def finished(self, record: TrialRecord) -> None:
        """The trial's record is stored."""


class Recorder(Protocol):
    """Keeps records. When it returns, the record is durable."""

    async def __call__(self, record: TrialRecord) -> None:
        """Stores one record."""
