"""The contract of an adapter: pure functions from an assignment to a process, and from what it left to facts."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Protocol

from agent_bench.model import AgentSpec, Finished, Frozen, Invocation, Usage


class Host(Frozen):
    """What an adapter may look at to find out whether its agent can run here."""

    which: Callable[[str], str | None]
    """Absolute path of a program on the user's PATH, or None."""
    environ: Mapping[str, str]
    """The user's environment."""


class Probe(Frozen):
    """Whether an agent can run here. ``version_argv`` is asked for its version by ``agents.probing``."""

    status: Literal["available", "unavailable", "unsupported"]
    reason: str = ""
    """Why it is not available."""
    remedy: str = ""
    """The one command that would make it available."""
    key_present: bool | None = None
    """Whether the key it needs is set; None: it needs none."""
    version_argv: tuple[str, ...] = ()
    version: str | None = None


class Assignment(Frozen):
    """What the agent is asked, with the paths as it will see them."""

    prompt: str
    prompt_file: Path
    """On the host: for ``Invocation.stdin``."""
    prompt_file_inside: Path
    workspace: Path
    home: Path
    solution: Path | None
    """Only for the control that applies it."""
    environ: Mapping[str, str]
    """The base environment plus the variables that the agent may see; the adapter adds its own settings."""
    timeout_sec: float


class Reading(Frozen):
    """What the agent said of itself. Untrusted: cut and escaped before it is shown."""

    usage: Usage = Usage()
    model: str | None = None
    cost_usd: float | None = None
    """As the agent reckoned it; None where it gives none or only a guess."""
    turns: int | None = None
    final_message: str = ""
    note: str = ""
    """Why usage or cost is unknown or estimated."""
    failure: Literal["agent", "provider"] | None = None
    """It says that it did not finish, whatever its exit code: through its own fault or its model provider's."""
    failure_reason: str = ""


class Evidence(Frozen):
    """What an agent left for its adapter: bytes, already capped in size."""

    stdout: bytes
    stderr: bytes
    files: Mapping[str, bytes]
    """Of its HOME: the files that ``Agent.keeps`` names, by relative POSIX path."""


class Agent(Protocol):
    """An adapter. Stateless."""

    env: tuple[str, ...]
    """Names of the variables it needs from the user's environment (keys, base URLs)."""

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """Globs under its HOME whose files are kept in ``traces/`` and given to ``read``."""

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Whether it is installed and has its key. Starts nothing."""

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """The process to start, with ``cwd`` the workspace. Raises ``UsageError`` where it cannot be asked this."""

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """What it reported. Never raises: a changed format gives unknown, with the reason in ``note``."""
