"""Reading what a command spent from JSON that it leaves, as its configuration describes it (docs/agents.md).

Tolerant of anything an agent may write: what cannot be read is unknown, and the note says why.
"""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr, model_validator

from agent_bench.agents.interface import Evidence, Reading
from agent_bench.agents.json_lines import amount, count, document, each, objects, text
from agent_bench.costs.usage import add_usages
from agent_bench.model import Frozen, Usage

_Field = Literal[
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "model",
    "cost_usd",
    "final_message",
]
_COUNTS: tuple[_Field, ...] = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
N = TypeVar("N", int, float)
_Path = Annotated[StrictStr, Field(min_length=1)]


class UsageReader(Frozen):
    """How to read what a command spent."""

    source: _Path
    """``stdout``, ``stderr``, or a glob under its HOME (``**`` for any number of folders)."""
    format: Literal["json", "jsonl"] = "jsonl"
    """One JSON document per file, or one per line (lines that are none are passed over)."""
    where: Mapping[_Path, StrictStr | StrictBool | StrictInt | StrictFloat] = Field(default_factory=dict)
    """Only documents in which these paths have these values."""
    fields: Annotated[Mapping[_Field, _Path | tuple[_Path, ...]], Field(min_length=1)]
    """Dotted paths; ``*`` stands for every key or element, whose counts are added up. Of several paths the counts
    are added, after a ``-`` subtracted."""
    combine: Literal["sum", "last"] | None = None
    """Documents are model calls (``sum``) or running totals (``last``)."""

    @model_validator(mode="after")
    def _combine_is_given(self) -> Self:
        if self.format == "jsonl" and self.combine is None:
            raise ValueError("a key 'combine': 'sum' where a line is one model call, 'last' where it is a total")
        return self

    def paths(self, name: _Field) -> tuple[str, ...]:
        """The paths configured for a field; none if it is not."""
        found = self.fields.get(name, ())
        return (found,) if isinstance(found, str) else found

    @property
    def home_globs(self) -> tuple[str, ...]:
        """What of HOME it needs."""
        return () if self.source in ("stdout", "stderr") else (self.source,)


def read_usage(reader: UsageReader, evidence: Evidence) -> Reading:
    """What the command spent, as far as it can be read."""
    contents = _contents(reader.source, evidence)
    documents = [item for content in contents for item in _documents(reader, content)]
    documents = [item for item in documents if _fits(item, reader.where)]
    found = [usage for item in documents if (usage := _usage(reader, item)) is not None]
    if not found:
        return _reading(reader, documents, Usage(), f"usage unknown: {_why(reader, contents, documents)}")
    usage = add_usages(found) if reader.combine != "last" else found[-1]
    unknown = [name for name in _COUNTS if name in reader.fields and getattr(usage, name) is None]
    note = f"unknown, as not everywhere a number: {', '.join(unknown)}" if unknown else ""
    return _reading(reader, documents, usage, note)


def _reading(reader: UsageReader, documents: list[Any], usage: Usage, note: str) -> Reading:
    def last(name: _Field) -> str:
        found = [text(value) for item in documents for path in reader.paths(name) for value in each(item, path)]
        return next(filter(None, reversed(found)), "")

    costs = [cost for item in documents if (cost := _sum(item, reader.paths("cost_usd"), amount)) is not None]
    return Reading(
        usage=usage,
        model=last("model") or None,
        cost_usd=sum(costs[-1:] if reader.combine == "last" else costs) if costs else None,
        final_message=last("final_message"),
        note=note,
    )


def _contents(source: str, evidence: Evidence) -> list[bytes]:
    if source in ("stdout", "stderr"):
        return [evidence.stdout if source == "stdout" else evidence.stderr]
    # ``*`` matches ``/`` as well here: which files were kept has been decided by the glob itself.
    pattern = source.replace("**/", "*")
    return [content for path, content in sorted(evidence.files.items()) if fnmatchcase(path, pattern)]


def _documents(reader: UsageReader, content: bytes) -> list[Any]:
    if reader.format == "jsonl":
        return list(objects(content))
    found = document(content)
    return [] if found is None else [found]


def _fits(item: Any, where: Mapping[str, Any]) -> bool:
    return all(value in each(item, path) for path, value in where.items())


def _usage(reader: UsageReader, item: Any) -> Usage | None:
    """The counts of one document; None if it has none at all."""
    counts = {name: _sum(item, reader.paths(name), count) for name in _COUNTS}
    if all(value is None for value in counts.values()):
        return None
    return Usage.model_validate({**counts, "source": "reported"})


def _sum(item: Any, paths: tuple[str, ...], kind: Callable[[Any], N | None]) -> N | None:
    """The sum of what stands at the paths; None where something is missing, no number, or the sum below 0."""
    total = kind(0)
    for path in paths:
        values = [kind(value) for value in each(item, path.removeprefix("-"))]
        for value in values or [None]:
            if value is None or total is None:
                return None
            total = total - value if path.startswith("-") else total + value
    return total if paths and total is not None and total >= 0 else None


def _why(reader: UsageReader, contents: list[bytes], documents: list[Any]) -> str:
    if not contents:
        return f"it left no file {reader.source}"
    if not documents:
        fitting = " that fits 'where'" if reader.where else ""
        return f"no JSON{fitting} in {reader.source}"
    paths = [path for name in _COUNTS for path in reader.paths(name)]
    return f"no number at {', '.join(paths) or 'any path: none is configured'} in {reader.source}"
