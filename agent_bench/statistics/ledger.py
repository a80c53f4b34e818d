"""The ledger: what became of everything that was planned. One sum, printed by every view."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agent_bench.model import Outcome


@dataclass(frozen=True)
class Ledger:
    """planned = scored + faults + interrupted + not run, always."""

    planned: int = 0
    scored: int = 0
    """The agent had its chance and was graded."""
    faults: int = 0
    """Ours or the provider's."""
    interrupted: int = 0
    not_run: int = 0
    """The agent is not available, or the run ended before its turn."""
    not_observed: int = 0
    """Of those scored: too little was observed for an overall."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Of all that was not scored: how many for which outcome."""

    def words(self) -> str:
        """The ledger as one line."""
        line = (
            f"planned {self.planned} = {self.scored} scored + {self.faults} faults"
            f" + {self.interrupted} interrupted + {self.not_run} not run"
        )
        why = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(self.reasons.items()))
        notes = [f"not counted: {why}"] if why else []
        if self.not_observed:
            notes.append(f"{self.not_observed} scored without an overall: too little was observed")
        return " · ".join([line, *notes])


NOT_STARTED = "not_started"


def ledger_of(outcomes: Iterable[tuple[Outcome | None, bool]]) -> Ledger:
    """The ledger of planned trials: the outcome of each (None: no record), and whether it has an overall."""
    planned = scored = faults = interrupted = not_run = not_observed = 0
    reasons: dict[str, int] = {}
    for outcome, has_overall in outcomes:
        planned += 1
        if outcome is not None and outcome.is_counted:
            scored += 1
            not_observed += not has_overall
            continue
        name = outcome.value if outcome else NOT_STARTED
        reasons[name] = reasons.get(name, 0) + 1
        if outcome is Outcome.INTERRUPTED:
            interrupted += 1
        elif outcome is not None and outcome.is_fault:
            faults += 1
        else:
            not_run += 1
    return Ledger(planned, scored, faults, interrupted, not_run, not_observed, reasons)
