"""What a person sees while trials run: live lines on a terminal, one line per finished trial elsewhere; on stderr."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from agent_bench.cli.output import notes_console
from agent_bench.model import Trial, TrialKey, TrialRecord
from agent_bench.reports import figures
from agent_bench.reports.rows import STATUS
from agent_bench.reports.untrusted import one_line

_SHOWN = 20


@dataclass(frozen=True)
class _Running:
    trial: Trial
    phase: str
    since: float


class RunProgress:
    """Progress of one run. ``render`` is called by the live display, the rest by the executor."""

    def __init__(self, console: Console, planned: int, done: int) -> None:
        self._console = console
        self._planned = planned
        self._before = done
        self._finished: set[TrialKey] = set()
        self._running: dict[TrialKey, _Running] = {}
        self._waiting: dict[TrialKey, str] = {}

    def started(self, trial: Trial) -> None:
        """A trial has a slot."""
        self._waiting.pop(trial.key, None)
        self._running[trial.key] = _Running(trial, "starting", time.monotonic())

    def phase(self, trial: Trial, name: str) -> None:
        """A trial goes on to its next step."""
        running = self._running[trial.key]
        since = time.monotonic() if name == "agent" else running.since
        self._running[trial.key] = replace(running, phase=name, since=since)

    def waiting(self, trial: Trial, delay_sec: float, reason: str) -> None:
        """A trial will be tried again."""
        self._finished.discard(trial.key)
        self._waiting[trial.key] = reason
        self._say(f"{trial.key}: trying again in {delay_sec:.0f} s: {one_line(reason)}", "yellow")

    def finished(self, record: TrialRecord) -> None:
        """A trial is recorded."""
        self._running.pop(record.key, None)
        if record.outcome.is_fault:
            self._say(f"{record.key}: {record.outcome}: {one_line(record.reason)}", "red")
        self._finished.add(record.key)
        if self._console.is_terminal:
            return
        line = (
            f"[{self._done}/{self._planned}] {record.key}  {STATUS[record.outcome]}"
            f"  overall {figures.score(record.score.value)}  {record.wall_sec:.1f} s"
        )
        self._say(line, "dim")

    @property
    def _done(self) -> int:
        return self._before + len(self._finished)

    def _say(self, line: str, style: str) -> None:
        self._console.print(Text(line, style=style), soft_wrap=not self._console.is_terminal)

    def __rich__(self) -> RenderableType:
        """The live lines: one for each running trial, then a summary."""
        now = time.monotonic()
        width = max(20, self._console.width - 34)
        lines = [self._line(running, now, width) for running in list(self._running.values())[:_SHOWN]]
        hidden = len(self._running) - len(lines)
        more = f", {hidden} of them not shown" if hidden > 0 else ""
        retry = f" · {len(self._waiting)} waiting to be tried again" if self._waiting else ""
        summary = f"{self._done}/{self._planned} done · {len(self._running)} running{more}{retry} · Ctrl-C stops"
        return Group(*lines, Text(summary, style="dim", no_wrap=True, overflow="ellipsis"))

    def _line(self, running: _Running, now: float, width: int) -> Text:
        limit = running.trial.limits.agent_sec
        name = str(running.trial.key)
        name = name if len(name) <= width else f"{name[: width - 1]}…"
        clock = f"{_clock(now - running.since)} / {_clock(limit)}" if running.phase == "agent" else ""
        return Text(f"  {name:<{width}} {running.phase:<10} {clock}", no_wrap=True, overflow="ellipsis")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


@contextmanager
def show_progress(planned: int, done: int) -> Iterator[RunProgress]:
    """A progress display for the time of a run."""
    console = notes_console()
    progress = RunProgress(console, planned, done)
    if not console.is_terminal:
        yield progress
        return
    with Live(progress, console=console, refresh_per_second=4, transient=True):
        yield progress
