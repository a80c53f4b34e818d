"""The controls: agents with a known outcome, which show whether a task measures anything."""

from agent_bench.agents.interface import Assignment, Evidence, Host, Probe, Reading
from agent_bench.errors import UsageError
from agent_bench.model import AgentSpec, Finished, Invocation, ProcessLimits, Usage


class Noop:
    """Changes nothing; must never score. It runs a real process, so that it passes through all that others do."""

    env: tuple[str, ...] = ()

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Always available."""
        return Probe(status="available")

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """``true``."""
        return _invocation(("true",), assignment)

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """It uses no model: what it spends is known, and is nothing."""
        return Reading(usage=Usage(input_tokens=0, output_tokens=0, requests=0, source="metered"))


class Reference(Noop):
    """Lays the author's solution over the workspace; must always score 1 on what it is graded by."""

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """``cp`` of the solution. Raises ``UsageError`` if the task has none."""
        if assignment.solution is None:
            raise UsageError("the task has no reference solution")
        argv = ("cp", "-a", f"{assignment.solution}/.", f"{assignment.workspace}/")
        return _invocation(argv, assignment).model_copy(update={"readable": (assignment.solution,)})


def _invocation(argv: tuple[str, ...], assignment: Assignment) -> Invocation:
    return Invocation(
        argv=argv,
        cwd=assignment.workspace,
        env=assignment.environ,
        limits=ProcessLimits(wall_sec=assignment.timeout_sec),
    )
