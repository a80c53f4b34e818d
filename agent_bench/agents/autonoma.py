"""autonoma: ``autonoma build``. What it leaves is read in ``autonoma_traces``.

Its files do not go where ``--output`` says: they go to ``$AUTONOMA_OUTPUT_DIR/<name>/``, and to ``--output`` goes only
its progress file. So the output folder is the workspace's parent, and the name that of the workspace.
"""

from agent_bench.agents.autonoma_traces import read_autonoma
from agent_bench.agents.interface import Assignment, Evidence, Host, Probe, Reading
from agent_bench.agents.program import probe_program, start_program
from agent_bench.model import AgentSpec, Finished, Invocation

_FOLDER = "autonoma"
"""Under HOME: its progress, its traces and its database."""
_PROGRESS = f"{_FOLDER}/progress/autonoma-progress.json"
# Later releases of anthropic refuse a parameter that it passes: it would make no call, and exit 0.
_INSTALL = "uv tool install --with anthropic==0.92.0 git+https://github.com/dlekdns08/autonoma"


class Autonoma:
    """The program ``autonoma``."""

    env: tuple[str, ...] = (
        *("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        *("AUTONOMA_ANTHROPIC_API_KEY", "AUTONOMA_OPENAI_API_KEY", "AUTONOMA_PROVIDER"),
        *("AUTONOMA_MAX_TOKENS", "AUTONOMA_TEMPERATURE", "AUTONOMA_VLLM_BASE_URL", "AUTONOMA_VLLM_API_KEY"),
    )

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """Its progress and its traces."""
        return (_PROGRESS, f"{_FOLDER}/traces/*/*.json", f"{_FOLDER}/traces/*/*.jsonl")

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Installed, with a key: it wants Anthropic's whatever the provider."""
        keys = ("ANTHROPIC_API_KEY", "AUTONOMA_ANTHROPIC_API_KEY")
        return probe_program(host, "autonoma", install=_INSTALL, keys=keys)

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """Everything but its work goes to HOME; after ``--`` a prompt that starts with a dash is no option."""
        own = assignment.home / _FOLDER
        env = {
            "AUTONOMA_OUTPUT_DIR": str(assignment.workspace.parent),
            "AUTONOMA_TRACE_DIR": str(own / "traces"),
            "AUTONOMA_TRACE_ENABLED": "true",
            # Its characters live on from run to run; here they do not.
            "AUTONOMA_DATA_DIR": str(own / "data"),
            "AUTONOMA_PERSISTENT_CHARACTERS": "false",
            **({"AUTONOMA_MODEL": spec.model} if spec.model else {}),
        }
        places = ("--name", assignment.workspace.name, "--output", str(own / "progress"))
        arguments = ("build", *places, "--no-animate", "--", assignment.prompt)
        return start_program(host, "autonoma", arguments, assignment, env=env)

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """Whether it finished is in its progress file, what it spent in its traces."""
        reading = read_autonoma(evidence, evidence.files.get(_PROGRESS))
        return reading.model_copy(update={"model": reading.model or spec.model})
