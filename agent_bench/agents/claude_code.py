"""Claude Code, headless.

Driven and read as seen with versions 2.1.197 and 2.1.332: the last ``result`` line counts, and in it ``modelUsage``
(``usage`` leaves calls out); ``subtype`` says "success" on API errors, ``is_error`` tells. A killed run has no result
line: its session file does, each message's usage once per content block.
"""

from typing import Any

from agent_bench.agents.interface import Assignment, Evidence, Host, Probe, Reading
from agent_bench.agents.json_lines import amount, at, count, objects, text
from agent_bench.agents.program import probe_program, start_program
from agent_bench.model import AgentSpec, Finished, Invocation, Usage

_COUNTS = {
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


class ClaudeCode:
    """The program ``claude``."""

    env: tuple[str, ...] = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL")

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """Its sessions."""
        return (".claude/projects/*/*.jsonl",)

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Installed, with a key."""
        install = "npm install -g @anthropic-ai/claude-code"
        return probe_program(host, "claude", install=install, key="ANTHROPIC_API_KEY")

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """The prompt goes by stdin: as an argument, a leading ``-`` is taken for an option."""
        arguments = ["-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
        # No settings but the ones given here, and so no CLAUDE.md of parent folders.
        arguments += ["--setting-sources", ""]
        arguments += ["--model", spec.model] if spec.model else []
        env = {
            # Else it refuses to work unasked when run by root.
            "IS_SANDBOX": "1",
            "CLAUDE_CONFIG_DIR": str(assignment.home / ".claude"),
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        return start_program(host, "claude", tuple(arguments), assignment, env=env, stdin=assignment.prompt_file)

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """The last result line; without one, the session file."""
        results = [line for line in objects(evidence.stdout) if line.get("type") == "result"]
        return _of_result(results[-1]) if results else _of_sessions(evidence)


def _of_result(result: dict[str, Any]) -> Reading:
    models = result.get("modelUsage")
    by_model = {name: row for name, row in models.items() if isinstance(row, dict)} if isinstance(models, dict) else {}
    counts = {field: _sum(row.get(key) for row in by_model.values()) for field, key in _COUNTS.items()}
    # The model that did the work, where another one made up titles.
    model = max(by_model, key=lambda name: count(by_model[name].get("outputTokens")) or 0, default=None)
    is_listed = bool(by_model) and all(row.get("costBasis", "list") == "list" for row in by_model.values())
    failure, reason = _failure(result)
    return Reading(
        usage=Usage.model_validate({**counts, "source": "reported"}) if by_model else Usage(),
        model=model,
        cost_usd=amount(result.get("total_cost_usd")) if is_listed else None,
        turns=count(result.get("num_turns")),
        final_message=text(result.get("result")),
        note="" if by_model else "the result line tells no usage",
        failure=failure,
        failure_reason=reason,
    )


def _failure(result: dict[str, Any]) -> tuple[Any, str]:
    if not result.get("is_error"):
        return None, ""
    status = count(result.get("api_error_status"))
    ended = text(result.get("terminal_reason")) or text(result.get("subtype"))
    words = f"{ended}{f' (HTTP {status})' if status else ''}: {text(result.get('result'))[:200]}"
    return ("provider" if ended == "api_error" else "agent"), words.strip(" :")


def _of_sessions(evidence: Evidence) -> Reading:
    usages: dict[str, dict[str, Any]] = {}
    model = None
    for content in evidence.files.values():
        for line in objects(content):
            message = line.get("message")
            if isinstance(message, dict) and message.get("role") == "assistant" and at(message, "usage.input_tokens"):
                # Written once per content block; the last one is complete.
                usages[text(message.get("id"))] = message["usage"]
                model = text(message.get("model")) or model
    if not usages:
        return Reading(note="no result line and no session: usage unknown")
    counts = {field: _sum(usage.get(key) for usage in usages.values()) for field, key in _SESSION_COUNTS.items()}
    usage = Usage.model_validate({**counts, "requests": len(usages), "source": "reported"})
    return Reading(usage=usage, model=model, note="from the session file: no result line")


def _sum(values: Any) -> int | None:
    counts = [count(value) for value in values]
    return None if not counts or any(found is None for found in counts) else sum(found or 0 for found in counts)
