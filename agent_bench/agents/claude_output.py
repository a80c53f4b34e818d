"""What Claude Code says of itself: its stream of JSON lines, and the sessions that it keeps.

As seen with versions 2.1.197 and 2.1.332. The last ``result`` line counts, and in it ``modelUsage``: ``usage`` leaves
out the calls that made up a title, and the last one before a budget ran out. ``subtype`` says "success" on errors of
the API too; ``is_error`` tells. A run that was killed has no such line: its session files do, where each message's
usage stands once per block of its content.
"""

import re
from collections.abc import Iterable
from typing import Any, Literal

from agent_bench.agents.interface import Evidence, Reading
from agent_bench.agents.json_lines import amount, count, objects, text
from agent_bench.model import Usage

SESSIONS = ".claude/projects/**/*.jsonl"
"""Glob of the session files under HOME, those of sub-agents included."""

_RESULT_COUNTS = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_tokens": "cacheReadInputTokens",
    "cache_write_tokens": "cacheCreationInputTokens",
}
_SESSION_COUNTS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}
_REQUEST_WAS_BAD = frozenset({400, 413, 422})
"""The provider refused what the agent asked; other codes are about access, load, or the provider itself."""
_BILLING = re.compile(r"credit balance|billing|usage limit|quota|spend(ing)? limit", re.IGNORECASE)

Failure = tuple[Literal["agent", "provider"] | None, str]


def read_claude(evidence: Evidence) -> Reading:
    """The last result line; without one, the session files."""
    lines = list(objects(evidence.stdout))
    results = [line for line in lines if line.get("type") == "result"]
    return _of_result(results[-1]) if results else _of_sessions(lines, evidence)


# ------------------------------------------------------------------------------------------ the result


def _of_result(result: dict[str, Any]) -> Reading:
    listed = result.get("modelUsage")
    rows = {name: row for name, row in listed.items() if isinstance(row, dict)} if isinstance(listed, dict) else {}
    failure, reason = _failure(result)
    # The model that did the work, where another one made up titles.
    main = max(rows, key=lambda name: count(rows[name].get("outputTokens")) or 0, default=None)
    # Without a list price it reckons with another model's.
    is_priced = bool(rows) and all(row.get("costBasis", "list") == "list" for row in rows.values())
    return Reading(
        usage=_sum(rows.values(), _RESULT_COUNTS),
        model=_model_name(main, rows[main]) if main is not None else None,
        cost_usd=amount(result.get("total_cost_usd")) if is_priced else None,
        turns=count(result.get("num_turns")),
        final_message=text(result.get("result")),
        note=_note(rows),
        failure=failure,
        failure_reason=reason,
    )


def _model_name(name: str, row: dict[str, Any]) -> str:
    # "claude-opus-4-8[1m]" is claude-opus-4-8 with a larger context.
    return text(row.get("canonicalModel")) or re.sub(r"\[\w+\]$", "", name)


def _note(rows: dict[str, dict[str, Any]]) -> str:
    if not rows:
        return "usage unknown: the result line has no modelUsage"
    return f"the tokens of {len(rows)} models together: {', '.join(sorted(rows))}" if len(rows) > 1 else ""


def _failure(result: dict[str, Any]) -> Failure:
    if not result.get("is_error"):
        return None, ""
    status = count(result.get("api_error_status"))
    ended = text(result.get("terminal_reason")) or text(result.get("subtype"))
    said = text(result.get("result")) or "; ".join(text(error) for error in _list(result.get("errors")))
    # Version 2.1.197 calls a run "completed" that an error of the API ended.
    is_api_error = ended in ("api_error", "completed")
    by_agent = (
        not is_api_error
        # The model would not go on, or went on for too long: that is an answer.
        or result.get("stop_reason") == "refusal"
        or result.get("api_error") == "max_output_tokens"
        or "output token maximum" in said
        or (status in _REQUEST_WAS_BAD and not _BILLING.search(said))
    )
    what = "error of the API" if is_api_error else ended
    reason = f"{what}{f' (HTTP {status})' if status else ''}: {said[:300]}".strip(" :")
    return ("agent" if by_agent else "provider"), reason


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# ---------------------------------------------------------------------------------------- the sessions


def _of_sessions(lines: list[dict[str, Any]], evidence: Evidence) -> Reading:
    entries = [entry for content in evidence.files.values() for entry in objects(content)]
    messages: dict[str, dict[str, Any]] = {}
    for entry in entries:
        message = entry.get("message")
        if isinstance(message, dict) and message.get("role") == "assistant" and _is_call(message):
            # Written once for each block; the last has the final count.
            messages[text(message.get("id"))] = message
    models = [text(message.get("model")) for message in messages.values() if message.get("model")]
    usage = _sum([message["usage"] for message in messages.values()], _SESSION_COUNTS)
    failure, reason = _failure_without_result(lines, evidence)
    return Reading(
        usage=usage.model_copy(update={"requests": len(messages)}) if messages else usage,
        model=models[-1] if models else _model_asked_for(lines),
        note="no result line: from the session file" if messages else "usage unknown: no result line, no session",
        failure=failure,
        failure_reason=reason,
    )


def _model_asked_for(lines: list[dict[str, Any]]) -> str | None:
    names = [text(line.get("model")) for line in lines if line.get("subtype") == "init"]
    return _model_name(names[0], {}) if names and names[0] else None


def _is_call(message: dict[str, Any]) -> bool:
    """Whether a message is a model's; those on errors are Claude Code's own."""
    return isinstance(message.get("usage"), dict) and message.get("model") != "<synthetic>"


def _failure_without_result(lines: list[dict[str, Any]], evidence: Evidence) -> Failure:
    said = [line for line in lines if line.get("type") in ("assistant", "user", "system")]
    last: dict[str, Any] = said[-1] if said else {}
    if last.get("subtype") == "api_retry":
        status = count(last.get("error_status"))
        tries = count(last.get("attempt")) or 0
        cause = f"{text(last.get('error'))}{f' (HTTP {status})' if status else ''}"
        return "provider", f"ended while repeating a call of its model, {tries} times so far: {cause}"
    if not lines:
        words = evidence.stderr.decode("utf-8", "replace").strip().splitlines()
        return ("agent", words[-1][:300]) if words else (None, "")
    return None, ""


def _sum(rows: Iterable[dict[str, Any]], names: dict[str, str]) -> Usage:
    """The counts of all rows together; a count that one of them lacks is unknown."""
    taken = list(rows)
    if not taken:
        return Usage()
    sums: dict[str, int | None] = {}
    for field, name in names.items():
        counts = [count(row.get(name)) for row in taken]
        sums[field] = None if None in counts else sum(number or 0 for number in counts)
    return Usage.model_validate({**sums, "source": "reported"})
