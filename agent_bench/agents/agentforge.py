"""agentforge: it has no command that builds a project, so it cannot be given a task."""

from agent_bench.agents.interface import Assignment, Evidence, Host, Probe, Reading
from agent_bench.errors import UsageError
from agent_bench.model import AgentSpec, Finished, Invocation

_REASON = "it has no command that builds a project without someone to talk to it"


class AgentForge:
    """Known, listed, and never run."""

    env: tuple[str, ...] = ()

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Unsupported."""
        return Probe(status="unsupported", reason=_REASON)

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """Raises ``UsageError``."""
        raise UsageError(f"agentforge cannot be run: {_REASON}")

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """Nothing."""
        return Reading(note=_REASON)
