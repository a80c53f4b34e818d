"""nexus: ``nexus build``. It prints one number of tokens, in a summary for people."""

import re

from agent_bench.agents.interface import Assignment, Evidence, Host, Probe, Reading
from agent_bench.agents.program import probe_program, start_program
from agent_bench.model import AgentSpec, Finished, Invocation, Usage

DEFAULT_MODEL = "claude-sonnet-4-6"
INPUT_SHARE = 0.7
"""Of the total, taken for input: a guess, and marked as one."""

_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_TOTAL = re.compile(r"Total\s+Tokens\W{1,40}?(\d[\d,._ ]{0,20})", re.IGNORECASE)


class Nexus:
    """The program ``nexus``."""

    env: tuple[str, ...] = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "NEXUS_MODEL")

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """Nothing: all it tells is on stdout."""
        return ()

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Installed, with a key."""
        install = "install nexus so that `nexus build` works, and put it on the PATH"
        return probe_program(host, "nexus", install=install, key="ANTHROPIC_API_KEY")

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """Writes straight into the workspace."""
        arguments = ("build", "--output", str(assignment.workspace), "--no-tui", "--", assignment.prompt)
        return start_program(host, "nexus", arguments, assignment, env={"NEXUS_MODEL": _model(spec, assignment)})

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """The ``Total Tokens`` row, split 70/30; unknown if there is none."""
        said = _TERMINAL_CODES.sub("", evidence.stdout.decode("utf-8", "replace"))
        rows = _TOTAL.findall(said)
        digits = re.sub(r"\D", "", rows[-1]) if rows else ""
        if not digits:
            return Reading(model=spec.model, note="no 'Total Tokens' row in nexus's output: its format has changed")
        total = int(digits)
        tokens = round(total * INPUT_SHARE)
        return Reading(
            usage=Usage(input_tokens=tokens, output_tokens=total - tokens, source="estimated"),
            model=spec.model or DEFAULT_MODEL,
            note="nexus tells only a total: 70 % of it is taken for input",
        )


def _model(spec: AgentSpec, assignment: Assignment) -> str:
    return spec.model or assignment.environ.get("NEXUS_MODEL") or DEFAULT_MODEL
