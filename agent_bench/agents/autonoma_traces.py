"""What autonoma leaves: a progress file, and traces of its run.

It exits 0 whether it finished or not, even when no model could be reached: the progress file and the errors in the
traces tell. Of its model calls it logs only the last: of a build with six, one. The number that covers most of them
is ``total_tokens`` of the event ``swarm.finished``: exact for the Director, for the others a count of characters; the
last call is not yet in it.
"""

import re
from typing import Any, Literal

from agent_bench.agents.interface import Evidence, Reading
from agent_bench.agents.json_lines import at, count, document, objects, text
from agent_bench.model import Usage

INPUT_SHARE = 0.7
"""Of the total, which is not split, taken for input: a convention, and marked as an estimate."""

_LAST_CALL = "final_answer"
# A defect of the program itself, or of how it is installed: the provider was never asked.
_OWN_ERRORS = re.compile(r"(Type|Attribute|Import|ModuleNotFound|Key|Name|Value)Error:")
_TEMPERATURE = "unexpected keyword argument"


def read_autonoma(evidence: Evidence, progress: bytes | None) -> Reading:
    """Everything it tells of itself."""
    calls = _rows(evidence, "llm-calls.jsonl")
    ends = [row for row in _rows(evidence, "events.jsonl") if row.get("event") == "swarm.finished"]
    end = ends[-1] if ends else {}
    usage, note = _usage(calls, end)
    failure, reason = _failure(document(progress or b""), calls, end)
    return Reading(
        usage=usage,
        model=_model(evidence, calls),
        turns=count(at(end, "data.rounds")),
        final_message=text(at(end, "data.final_answer")),
        note=note,
        failure=failure,
        failure_reason=reason,
    )


def _rows(evidence: Evidence, name: str) -> list[dict[str, Any]]:
    found = [content for path, content in sorted(evidence.files.items()) if path.endswith(f"/{name}")]
    return [row for content in found for row in objects(content)]


def _model(evidence: Evidence, calls: list[dict[str, Any]]) -> str | None:
    metas = [document(content) for path, content in evidence.files.items() if path.endswith("/meta.json")]
    found = [text(at(call, "request.model")) for call in calls] + [text(at(meta, "model")) for meta in metas]
    return next(filter(None, found), None)


def _usage(calls: list[dict[str, Any]], end: dict[str, Any]) -> tuple[Usage, str]:
    """What it spent, as far as it tells, and how far to trust that."""
    total = count(at(end, "data.total_tokens"))
    if total is None:
        lost = f"; the {len(calls)} calls that it logged are not all" if calls else ""
        return Usage(), f"usage unknown: autonoma ended before it told its total{lost}"
    total += sum(_tokens(call) for call in calls if call.get("phase") == _LAST_CALL)
    inputs = round(total * INPUT_SHARE)
    return (
        Usage(input_tokens=inputs, output_tokens=total - inputs, source="estimated"),
        "autonoma's own total, for most calls a count of characters: 70 % of it is taken for input",
    )


def _tokens(call: dict[str, Any]) -> int:
    counts = (count(at(call, f"response.usage.{kind}_tokens")) for kind in ("input", "output"))
    return sum(number or 0 for number in counts)


def _failure(
    progress: Any, calls: list[dict[str, Any]], end: dict[str, Any]
) -> tuple[Literal["agent", "provider"] | None, str]:
    if at(progress, "progress.completed") is True:
        return None, ""
    # Its last call comes after all others: if that one failed, the model was out of reach when it ended.
    error = text(calls[-1].get("error")) if calls else ""
    if error and not _OWN_ERRORS.match(error):
        return "provider", f"its last call of the model failed: {error[:300]}"
    if error:
        hint = "; it needs anthropic 0.92.0" if _TEMPERATURE in error else ""
        return "agent", f"it could not call its model: {error[:300]}{hint}"
    if progress is None:
        return "agent", "it left no progress file: it did not come to its end"
    done, planned = count(at(progress, "progress.done")), count(at(progress, "progress.total"))
    why = text(at(end, "data.incomplete_reason"))
    return "agent", f"incomplete: {done or 0} of {planned or 0} tasks done{f' ({why[:100]})' if why else ''}"
