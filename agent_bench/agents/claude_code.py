"""Claude Code, headless: ``claude -p``. What it says is read in ``claude_output``."""

from agent_bench.agents.claude_output import SESSIONS, read_claude
from agent_bench.agents.interface import Assignment, Evidence, Host, Probe, Reading
from agent_bench.agents.program import probe_program, start_program
from agent_bench.model import AgentSpec, Finished, Invocation

_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
_KNOBS = ("CLAUDE_CODE_MAX_RETRIES", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "MAX_THINKING_TOKENS", "API_TIMEOUT_MS")
_AFTER_A_SPACE = """{ printf ' '; cat; } | "$0" "$@\""""


class ClaudeCode:
    """The program ``claude``."""

    env: tuple[str, ...] = (*_KEYS, "ANTHROPIC_BASE_URL", *_KNOBS)

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """Its sessions."""
        return (SESSIONS,)

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Installed, with a key."""
        return probe_program(host, "claude", install="npm install -g @anthropic-ai/claude-code", keys=_KEYS)

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """The prompt goes by stdin: as an argument, a leading ``-`` would be taken for an option."""
        arguments = (
            *("-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"),
            # Nobody's settings, and no CLAUDE.md of a parent folder.
            *("--setting-sources", ""),
            *(("--model", spec.model) if spec.model else ()),
        )
        env = {
            # Else it refuses, when root, to work without asking.
            "IS_SANDBOX": "1",
            "CLAUDE_CONFIG_DIR": str(assignment.home / ".claude"),
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        call = start_program(host, "claude", arguments, assignment, env=env, stdin=assignment.prompt_file)
        if not assignment.prompt.startswith("/"):
            return call
        # Else it would look for a command of its own with that name; behind a space it is a prompt like any other.
        return call.model_copy(update={"argv": ("/bin/sh", "-c", _AFTER_A_SPACE, *call.argv)})

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """Its last words, or its sessions."""
        return read_claude(evidence)
