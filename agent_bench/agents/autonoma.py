"""autonoma: ``autonoma build``.

Its files do not go where ``--output`` says: they go to ``$AUTONOMA_OUTPUT_DIR/<name>/``, and only its progress file to
``--output``. It exits 0 whether it finished or not, even when no model could be reached. It logs only some of its
model calls (of a build with four, one), so that the sum of its log is far below what it spent.
"""

from typing import Any

from agent_bench.agents.interface import Assignment, Evidence, Host, Probe, Reading
from agent_bench.agents.json_lines import at, count, document, objects, text
from agent_bench.agents.program import probe_program, start_program
from agent_bench.model import AgentSpec, Finished, Invocation, Usage

_PROGRESS = "autonoma/progress/autonoma-progress.json"


class Autonoma:
    """The program ``autonoma``."""

    env: tuple[str, ...] = (
        *("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        *("AUTONOMA_ANTHROPIC_API_KEY", "AUTONOMA_PROVIDER", "AUTONOMA_MODEL", "AUTONOMA_MAX_TOKENS"),
        *("AUTONOMA_TEMPERATURE", "AUTONOMA_VLLM_BASE_URL", "AUTONOMA_VLLM_API_KEY"),
    )

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """Its progress and its traces."""
        return (_PROGRESS, "autonoma/traces/*/*.json", "autonoma/traces/*/*.jsonl")

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Installed, with a key: it wants Anthropic's whatever the provider."""
        key = "AUTONOMA_ANTHROPIC_API_KEY" if host.environ.get("AUTONOMA_ANTHROPIC_API_KEY") else "ANTHROPIC_API_KEY"
        install = "uv tool install git+https://github.com/dlekdns08/autonoma"
        return probe_program(host, "autonoma", install=install, key=key)

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """With the workspace's parent as its output folder and the workspace's name as its project's."""
        own = assignment.home / "autonoma"
        env = {
            "AUTONOMA_OUTPUT_DIR": str(assignment.workspace.parent),
            "AUTONOMA_TRACE_DIR": str(own / "traces"),
            "AUTONOMA_TRACE_ENABLED": "true",
            # Its characters live on from run to run: here they do not.
            "AUTONOMA_DATA_DIR": str(own / "data"),
            "AUTONOMA_PERSISTENT_CHARACTERS": "false",
            **({"AUTONOMA_MODEL": spec.model} if spec.model else {}),
        }
        arguments = (
            *(
                "build",
                "--name",
                assignment.workspace.name,
                "--output",
                str(own / "progress"),
                "--no-animate",
            ),
            # After "--" a prompt that starts with a dash is no option.
            *("--", assignment.prompt),
        )
        return start_program(host, "autonoma", arguments, assignment, env=env)

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """Whether it finished is in its progress file, what it spent in its traces."""
        progress = document(evidence.files.get(_PROGRESS, b""))
        calls = _rows(evidence, "llm-calls.jsonl")
        usage, note = _usage(evidence, calls)
        failure, reason = _failure(progress, calls)
        models = [text(at(call, "request.model")) for call in calls]
        return Reading(
            usage=usage,
            model=next(filter(None, models), None) or _goal_model(evidence) or spec.model,
            note=note,
            failure=failure,
            failure_reason=reason,
        )


def _rows(evidence: Evidence, name: str) -> list[dict[str, Any]]:
    found = [content for path, content in sorted(evidence.files.items()) if path.endswith(f"/{name}")]
    return [row for content in found for row in objects(content)]


def _goal_model(evidence: Evidence) -> str | None:
    metas = [document(content) for path, content in evidence.files.items() if path.endswith("/meta.json")]
    return next((text(at(meta, "model")) for meta in metas if text(at(meta, "model"))), None)


def _usage(evidence: Evidence, calls: list[dict[str, Any]]) -> tuple[Usage, str]:
    """What it spent, as far as it tells, and how far to trust that."""
    inputs = [count(at(call, "response.usage.input_tokens")) for call in calls if "response" in call]
    outputs = [count(at(call, "response.usage.output_tokens")) for call in calls if "response" in call]
    logged_in, logged_out = sum(filter(None, inputs)), sum(filter(None, outputs))
    totals = [count(at(row, "data.total_tokens")) for row in _rows(evidence, "events.jsonl") if _is_end(row)]
    total = next((found for found in reversed(totals) if found is not None), None)
    logged = logged_in + logged_out
    if total is not None and total > logged:
        # Its own total covers all calls, in part by a guess, without telling input from output: split as logged.
        share = logged_in / logged if logged else 0.7
        tokens = round(total * share)
        note = "autonoma's own estimate of all its calls, split into input and output as in those that it logs"
        return Usage(input_tokens=tokens, output_tokens=total - tokens, source="estimated"), note
    if logged:
        note = "only the calls that autonoma logs: it spent more"
        return Usage(input_tokens=logged_in, output_tokens=logged_out, source="estimated"), note
    return Usage(), "autonoma left no trace of its tokens"


def _is_end(row: dict[str, Any]) -> bool:
    return text(row.get("event")) == "swarm.finished"


def _failure(progress: Any, calls: list[dict[str, Any]]) -> tuple[Any, str]:
    errors = [text(call.get("error")) for call in calls if call.get("error")]
    if progress is None:
        if errors:
            return "provider", errors[-1][:300]
        return "agent", "it left no progress file: it did not come to an end"
    done, total = count(at(progress, "progress.done")), count(at(progress, "progress.total"))
    if at(progress, "progress.completed") is True:
        return None, ""
    files = at(progress, "files")
    if errors and not files:
        return "provider", errors[-1][:300]
    if not total and not files:
        # Without a single task it never got a plan from its model.
        return "provider", "no task was planned: its model was not reached"
    return "agent", f"incomplete: {done} of {total} tasks done"
