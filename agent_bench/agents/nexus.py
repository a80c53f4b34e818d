"""nexus: ``nexus build``. It prints one number of tokens, in a summary for people."""

import re

from agent_bench.agents.interface import Assignment, Evidence, Host, Probe, Reading
from agent_bench.agents.program import probe_program, start_program
from agent_bench.model import AgentSpec, Finished, Invocation, Usage

DEFAULT_MODEL = "claude-sonnet-4-6"
INPUT_SHARE = 0.7
"""Of the total, taken for input: a convention, and marked as an estimate."""

_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]")
# Thousands may be parted; "12.3k" or a second number glued to it is another format.
_NUMBER = r"(?P<number>\d{1,3}(?:[,_'\u00a0\u202f ]\d{3})+|\d{1,15})(?![\w.,%])"
_TOTAL = re.compile(rf"\bTotal[ _]Tokens\b[^\w\n]{{1,80}}{_NUMBER}", re.IGNORECASE)


class Nexus:
    """The program ``nexus``."""

    env: tuple[str, ...] = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """Nothing: all it tells is on stdout."""
        return ()

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Installed, with a key."""
        install = "install nexus so that `nexus build` runs from the PATH"
        return probe_program(host, "nexus", install=install, keys=("ANTHROPIC_API_KEY",))

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """It writes straight into the workspace; after ``--`` a prompt that starts with a dash is no option."""
        arguments = ("build", "--output", str(assignment.workspace), "--no-tui", "--", assignment.prompt)
        return start_program(host, "nexus", arguments, assignment, env={"NEXUS_MODEL": _model(spec)})

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """The ``Total Tokens`` row, split 70/30; unknown if there is none."""
        total = total_tokens(evidence.stdout)
        if total is None:
            note = "usage unknown: no number in a 'Total Tokens' row of nexus's output; its format has changed"
            return Reading(model=_model(spec), note=note)
        inputs = round(total * INPUT_SHARE)
        return Reading(
            usage=Usage(input_tokens=inputs, output_tokens=total - inputs, source="estimated"),
            model=_model(spec),
            note="nexus tells only a total: 70 % of it is taken for input",
        )


def _model(spec: AgentSpec) -> str:
    return spec.model or DEFAULT_MODEL


def total_tokens(stdout: bytes) -> int | None:
    """The number in the last ``Total Tokens`` row, whatever the table is drawn with; None if there is none."""
    plain = _TERMINAL_CODES.sub("", stdout.decode("utf-8", "replace"))
    rows = [match["number"] for match in _TOTAL.finditer(plain)]
    return int(re.sub(r"\D", "", rows[-1])) if rows else None
