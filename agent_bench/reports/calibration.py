"""Solve rates of tasks, by agent, against a band: as rows, as JSON and as Markdown."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agent_bench.agents.table import CONTROLS
from agent_bench.history.attempts import DRY_RUN, NO_VERDICT, Attempt, once
from agent_bench.reports import figures
from agent_bench.reports.untrusted import markdown_cell, one_line
from agent_bench.statistics.calibration import MOST_ATTEMPTS, Band, SolveRate, Verdict, solve_rate

HEADERS = ("task", "agent", "digest", "attempts", "solved", "rate", "95 %", "not", "verdict", "more")

VERDICTS: Mapping[Verdict, str] = {
    "too_easy": "too easy",
    "too_hard": "too hard",
    "in_band": "in band",
    "too_few": "too few attempts to say",
    "control": "control: not judged",
}

_OUTSIDE: frozenset[Verdict] = frozenset({"too_easy", "too_hard"})
_JUDGED: frozenset[Verdict] = _OUTSIDE | {"in_band"}
_DIGEST_CHARS = 12


@dataclass(frozen=True)
class Row:
    """A task, in one version, and an agent, with one model."""

    task: str
    agent: str
    model: str | None
    """The one that answered, as far as known; else the one asked for."""
    digest: str
    """Of the task; empty: not known."""
    found: SolveRate
    not_counted: Mapping[str, int]
    """Why, to how many: see ``Attempt.not_counted``."""
    mixed: tuple[str, ...]
    """What differs among the counted attempts though it should not."""

    @property
    def entrant(self) -> str:
        """Agent and model."""
        return f"{self.agent} [{self.model}]" if self.model else self.agent

    def cells(self) -> tuple[str, ...]:
        """As ``HEADERS`` has them."""
        found = self.found
        return (
            one_line(self.task, 60),
            one_line(self.entrant, 60),
            self.digest[:_DIGEST_CHARS] or figures.UNKNOWN,
            str(found.attempts),
            str(found.solved),
            figures.score(found.rate),
            figures.interval(found.low, found.high),
            str(sum(self.not_counted.values())),
            VERDICTS[found.verdict],
            self._more(),
        )

    def _more(self) -> str:
        if self.found.verdict != "too_few":
            return ""
        return f">{MOST_ATTEMPTS}" if self.found.more_attempts is None else f"+{self.found.more_attempts}"


@dataclass(frozen=True)
class Calibration:
    """What the attempts say of the difficulty of the tasks."""

    band: Band
    runs: int
    """Different runs that they come from."""
    rows: tuple[Row, ...]
    """By task, then agent; each with a counted attempt."""
    unseen: tuple[Row, ...]
    """The same without any counted attempt, where that is due to more than a dry run or a task without a verdict."""
    not_counted: Mapping[str, int]
    """Of all attempts: why, to how many."""

    @property
    def outside(self) -> list[Row]:
        """What needs rework: too easy or too hard."""
        return [row for row in self.rows if row.found.verdict in _OUTSIDE]

    @property
    def judged(self) -> list[Row]:
        """The rows with a verdict on the task."""
        return [row for row in self.rows if row.found.verdict in _JUDGED]

    def as_json(self) -> dict[str, Any]:
        """Plain data; the names that seed 001 has for the same things are its own."""
        return {
            "band_low": self.band.low,
            "band_high": self.band.high,
            "n_runs": self.runs,
            "rows": [_row_json(row) for row in self.rows],
            "needs_rework": sorted({row.task for row in self.outside}),
            "without_counted_attempts": [_row_json(row) for row in self.unseen],
            "not_counted": self.not_counted,
        }

    def remarks(self) -> list[str]:
        """What a reader of the rows has to know, one line each."""
        told = [
            f"band {self.band.low:g} to {self.band.high:g}; not: trials that do not count;"
            " more: attempts of the same rate after which there would be a verdict"
        ]
        told += [f"{_name(row)}: {'; '.join(row.mixed)}" for row in self.rows if row.mixed]
        if any(not row.digest for row in self.rows):
            told.append(f"digest {figures.UNKNOWN}: the file does not say which version of the task it was")
        if self.unseen:
            told.append(f"no attempt counted: {', '.join(map(_name, self.unseen))}")
        if self.not_counted:
            told.append(f"not counted: {_reasons(self.not_counted)}")
        return told

    def rework(self) -> list[str]:
        """The tasks that need it, one line each."""
        return [
            f"{_name(row)}: {VERDICTS[row.found.verdict]}, solved {row.found.solved} of {row.found.attempts}"
            for row in self.outside
        ]


def calibrate(attempts: Iterable[Attempt], band: Band) -> Calibration:
    """Rates by task, its digest, agent and model. Results of different versions of a task are never merged."""
    unique = once(attempts)
    groups: dict[tuple[str, str, str, str], list[Attempt]] = {}
    for attempt in unique:
        identity = (attempt.key.task, attempt.key.agent, attempt.model or "", attempt.task_digest)
        groups.setdefault(identity, []).append(attempt)
    rows = [_row(groups[identity], band) for identity in sorted(groups)]
    return Calibration(
        band=band,
        runs=len({attempt.key.run for attempt in unique}),
        rows=tuple(row for row in rows if row.found.attempts),
        unseen=tuple(row for row in rows if not row.found.attempts and set(row.not_counted) - {DRY_RUN, NO_VERDICT}),
        not_counted=Counter(attempt.not_counted for attempt in unique if attempt.not_counted),
    )


def _row(attempts: Sequence[Attempt], band: Band) -> Row:
    counted = [attempt for attempt in attempts if not attempt.not_counted]
    found = solve_rate(sum(bool(attempt.resolved) for attempt in counted), len(counted), band)
    first = attempts[0]
    if first.key.agent in CONTROLS:
        found = replace(found, verdict="control", more_attempts=None)
    return Row(
        task=first.key.task,
        agent=first.key.agent,
        model=first.model,
        digest=first.task_digest,
        found=found,
        not_counted=Counter(attempt.not_counted for attempt in attempts if attempt.not_counted),
        mixed=_mixed(counted),
    )


def _mixed(attempts: Sequence[Attempt]) -> tuple[str, ...]:
    told = _differing("versions", {attempt.agent_version for attempt in attempts})
    told += ["several settings or limits"] if len({attempt.settings_digest for attempt in attempts}) > 1 else []
    return (*told, *_differing("sandboxes", {attempt.sandbox for attempt in attempts}))


def _differing(what: str, values: Iterable[str | None]) -> list[str]:
    different = sorted(value for value in values if value)
    return [f"{len(different)} {what}: {one_line(', '.join(different), 80)}"] if len(different) > 1 else []


def _row_json(row: Row) -> dict[str, Any]:
    found = row.found
    return {
        "task_id": row.task,
        "agent": row.agent,
        "model": row.model,
        "task_digest": row.digest or None,
        "attempts": found.attempts,
        "solved": found.solved,
        "solve_rate": found.rate,
        "low": found.low,
        "high": found.high,
        "verdict": found.verdict,
        "more_attempts": found.more_attempts,
        "not_counted": dict(row.not_counted),
        "mixed": list(row.mixed),
    }


def _name(row: Row) -> str:
    return f"{one_line(row.entrant, 60)} on {one_line(row.task, 60)} ({row.digest[:_DIGEST_CHARS] or figures.UNKNOWN})"


def _reasons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items()))


def markdown_of(calibration: Calibration) -> str:
    """The whole as a document."""
    lines = [" | ".join(HEADERS), " | ".join("---" for _ in HEADERS)]
    lines += [" | ".join(map(markdown_cell, row.cells())) for row in calibration.rows]
    listing = "\n".join(f"| {line} |" for line in lines)
    rework = "\n".join(f"- {markdown_cell(line)}" for line in calibration.rework())
    notes = "\n".join(f"- {markdown_cell(line)}" for line in calibration.remarks())
    parts = ["# Calibration", listing if calibration.rows else "No attempt counted.", "## Needs rework"]
    return "\n\n".join([*parts, rework or "Nothing.", "## Notes", notes]) + "\n"
