"""The rows of a leaderboard, from the trials that were planned. Dry runs never get here."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple

from agent_bench.model import Outcome
from agent_bench.statistics.intervals import clustered_mean
from agent_bench.statistics.ledger import Ledger, ledger_of

By = Literal["agent", "model", "task"]

NOT_OBSERVED = "no_overall"


class PlannedTrial(NamedTuple):
    """What a leaderboard needs of a planned trial. A tuple, because there can be very many."""

    agent: str
    model: str
    """Asked for; empty: the agent's default."""
    model_used: str | None
    """The one that answered."""
    task_id: str
    task_digest: str
    settings_digest: str
    agent_version: str | None
    sandbox: str
    harness_version: str
    outcome: Outcome | None
    """None: without a record."""
    overall: float | None
    wall_sec: float | None
    input_tokens: int | None
    output_tokens: int | None
    tokens: int | None
    """All kinds together."""
    cost_usd: float | None

    @property
    def is_counted(self) -> bool:
        """The agent had its chance."""
        return self.outcome is not None and self.outcome.is_counted

    @property
    def could_run(self) -> bool:
        """The agent was there and able to do such tasks."""
        return self.outcome is None or not self.outcome.is_not_run

    @property
    def is_fully_priced(self) -> bool:
        """Its cost is known, and not only a lower bound."""
        return self.cost_usd is not None and (self.input_tokens is None) == (self.output_tokens is None)


@dataclass(frozen=True)
class Standing:
    """A row of the leaderboard: an agent, a model or a task, and all its trials that were planned.

    ``counted + not_counted = ledger.planned``. A trial that was scored but for whose overall too little was observed
    stands in the ledger's ``scored`` and ``not_observed``; it has no value to average, so it is not counted here.
    """

    name: str
    mean: float | None
    """Of the overall, over the counted trials."""
    low: float | None
    high: float | None
    """95 % interval of the mean: see ``clustered_mean``; clustered by task, in a task's row by agent."""
    interval_note: str
    """Why there is none."""
    counted: int
    """Trials in the mean."""
    not_counted: int
    not_counted_reasons: Mapping[str, int]
    """How many of these for which outcome; ``not_started``; ``no_overall``."""
    strict_mean: float | None
    """The same with each trial that could run and has no overall as 0."""
    tasks: int
    """Different tasks among the counted trials."""
    cost_usd: float | None
    """Sum of the known costs of the scored trials; None: none is known."""
    cost_mean_usd: float | None
    """Mean of the known costs of the scored trials."""
    cost_unknown: int
    """Scored trials whose cost is unknown, or known only in part."""
    cost_lost_usd: float
    """Known cost of the trials that ended in a fault or were interrupted."""
    wall_sec: float | None
    """Mean, over the scored trials."""
    tokens: int | None
    """Sum of the known ones of the scored trials."""
    tokens_unknown: int
    """Scored trials whose tokens are unknown."""
    ledger: Ledger
    rank: str
    """From..to where the intervals do not separate rows: "1", "2-4"."""
    mixed: tuple[str, ...]
    """What differs among the counted trials though it should not, in words."""

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def standings(trials: Iterable[PlannedTrial], by: By) -> list[Standing]:
    """The rows, best first; those without any counted trial last.

    Rows of whose trials none could run are left out: there is nothing to say of them.
    """
    found = list(trials)
    name_of = _names(found, by)
    groups: dict[str, list[PlannedTrial]] = {}
    for trial in found:
        groups.setdefault(name_of(trial), []).append(trial)
    rows = [_standing(name, group, by) for name, group in groups.items() if any(trial.could_run for trial in group)]
    rows.sort(key=lambda row: (row.mean is None, -(row.mean or 0), row.name))
    return [_ranked(row, rows) for row in rows]


def _names(trials: Sequence[PlannedTrial], by: By) -> Callable[[PlannedTrial], str]:
    if by == "task":
        return lambda trial: trial.task_id
    if by == "agent":
        return _entrant
    answered: dict[str, set[str]] = {}
    for trial in trials:
        if trial.model_used:
            answered.setdefault(_entrant(trial), set()).add(trial.model_used)

    def model(trial: PlannedTrial) -> str:
        # A trial that never came to an answer belongs to the model that answers this agent's other trials.
        usual = answered.get(_entrant(trial), set())
        only = next(iter(usual)) if len(usual) == 1 else None
        return trial.model_used or only or trial.model or f"{trial.agent} (model unknown)"

    return model


def _entrant(trial: PlannedTrial) -> str:
    return f"{trial.agent} [{trial.model}]" if trial.model else trial.agent


def _standing(name: str, trials: Sequence[PlannedTrial], by: By) -> Standing:
    scored = [trial for trial in trials if trial.is_counted]
    values: dict[str, list[float]] = {}
    for trial in scored:
        if trial.overall is not None:
            values.setdefault(_entrant(trial) if by == "task" else trial.task_id, []).append(trial.overall)
    mean = clustered_mean(values, unit="agent" if by == "task" else "task")
    counted = [trial for trial in scored if trial.overall is not None]
    able = sum(trial.could_run for trial in trials)
    costs = [trial.cost_usd for trial in scored if trial.cost_usd is not None]
    times = [trial.wall_sec for trial in scored if trial.wall_sec is not None]
    tokens = [trial.tokens for trial in scored if trial.tokens is not None]
    ledger = ledger_of((trial.outcome, trial.overall is not None) for trial in trials)
    unseen = {NOT_OBSERVED: ledger.not_observed} if ledger.not_observed else {}
    return Standing(
        name=name,
        mean=mean.value,
        low=mean.low,
        high=mean.high,
        interval_note=mean.reason,
        counted=len(counted),
        not_counted=len(trials) - len(counted),
        not_counted_reasons={**ledger.reasons, **unseen},
        strict_mean=sum(trial.overall or 0.0 for trial in counted) / able if able else None,
        tasks=len({trial.task_id for trial in counted}),
        cost_usd=sum(costs) if costs else None,
        cost_mean_usd=sum(costs) / len(costs) if costs else None,
        cost_unknown=sum(not trial.is_fully_priced for trial in scored),
        cost_lost_usd=sum(trial.cost_usd or 0.0 for trial in trials if not trial.is_counted),
        wall_sec=sum(times) / len(times) if times else None,
        tokens=sum(tokens) if tokens else None,
        tokens_unknown=len(scored) - len(tokens),
        ledger=ledger,
        rank="",
        mixed=_mixed(counted, by),
    )


def _mixed(trials: Sequence[PlannedTrial], by: By) -> tuple[str, ...]:
    """What makes the trials of a row less than alike, in words: said, never silently averaged."""
    digests = {(trial.task_id, trial.task_digest) for trial in trials}
    tasks = [task for task, _ in digests]
    changed = sorted({task for task in tasks if tasks.count(task) > 1})
    found = [f"changed tasks: {_some(changed)}"] if changed else []
    # A task's row is made of different agents by its nature; elsewhere that is said.
    found += _differing("agents", [_entrant(trial) for trial in trials]) if by == "model" else []
    found += _differing_within("versions", [(trial.agent, trial.agent_version) for trial in trials])
    found += _differing_within("models", [(_entrant(trial), trial.model_used) for trial in trials])
    settings = {(trial.agent, trial.task_id, trial.settings_digest) for trial in trials}
    if len(settings) > len({(agent, task) for agent, task, _ in settings}):
        found.append("several settings or limits")
    found += _differing("sandboxes", [trial.sandbox for trial in trials])
    found += _differing("versions of agent-bench", [trial.harness_version for trial in trials])
    return tuple(found)


def _differing(what: str, values: Iterable[str | None]) -> list[str]:
    different = sorted({value for value in values if value})
    return [f"{len(different)} {what}: {_some(different)}"] if len(different) > 1 else []


def _differing_within(what: str, values: Iterable[tuple[str, str | None]]) -> list[str]:
    """For each owner that has several values, which."""
    by_owner: dict[str, list[str | None]] = {}
    for owner, value in values:
        by_owner.setdefault(owner, []).append(value)
    return [words for owner in sorted(by_owner) for words in _differing(f"{what} of {owner}", by_owner[owner])]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def _ranked(row: Standing, rows: Sequence[Standing]) -> Standing:
    """The row with its rank: a range where intervals overlap, for there the data do not separate the rows."""
    if row.mean is None:
        return row
    rivals = [other for other in rows if other.mean is not None]
    first = 1 + sum(_is_above(other, row) for other in rivals)
    last = len(rivals) - sum(_is_above(row, other) for other in rivals)
    return replace(row, rank=str(first) if first == last else f"{first}-{last}")


def _is_above(one: Standing, other: Standing) -> bool:
    """Whether the whole interval of one lies above that of the other."""
    return one.low is not None and other.high is not None and one.low > other.high
