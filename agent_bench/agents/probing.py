"""Finds out which agents can run here, asking each installed one for its version."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import anyio

from agent_bench.agents.installation import installation_of
from agent_bench.agents.interface import Host, Probe
from agent_bench.agents.table import find_agent
from agent_bench.environment import base_environment
from agent_bench.errors import AgentBenchError
from agent_bench.model import AgentSpec, Invocation, ProcessLimits
from agent_bench.process import Launcher

VERSION_SECONDS = 10.0


def host_of(environ: Mapping[str, str]) -> Host:
    """This machine, as adapters may see it."""
    kept = dict(environ)
    return Host(which=partial(_which, path=kept.get("PATH")), environ=kept)


def _which(name: str, *, path: str | None) -> str | None:
    found = shutil.which(name, path=path)
    return str(Path(found).absolute()) if found else None


async def probe_all(specs: Sequence[AgentSpec], host: Host, launcher: Launcher | None) -> dict[str, Probe]:
    """Whether each agent can run, by name. ``launcher`` None: no version is asked for, nothing is started.

    A version command that fails or hangs leaves the version unknown and the agent available.
    """
    probes: dict[str, Probe] = {}

    async def one(spec: AgentSpec) -> None:
        try:
            probe = find_agent(spec.adapter).probe(spec, host)
        except AgentBenchError as error:
            probe = Probe(status="unavailable", reason=error.message, remedy=error.hint or "")
        except Exception as error:  # a package's adapter: its defect must not hide the other agents
            probe = Probe(status="unavailable", reason=f"its adapter failed: {type(error).__name__}: {error}")
        if launcher is not None and probe.version_argv:
            probe = probe.model_copy(update={"version": await _version(probe.version_argv, host, launcher)})
        probes[spec.name] = probe

    async with anyio.create_task_group() as group:
        for spec in specs:
            group.start_soon(one, spec)
    return {spec.name: probes[spec.name] for spec in specs}


async def _version(argv: tuple[str, ...], host: Host, launcher: Launcher) -> str | None:
    with tempfile.TemporaryDirectory(prefix="agent-bench-", ignore_cleanup_errors=True) as home:
        installed = installation_of((Path(argv[0]),), host.environ)
        invocation = Invocation(
            argv=argv,
            cwd=Path(home),
            env={**base_environment(host.environ), **installed.env, "HOME": home, "TMPDIR": home},
            limits=ProcessLimits(wall_sec=VERSION_SECONDS),
        )
        finished, stdout, _ = await launcher.run_captured(invocation, 4096)
    lines = [line.strip() for line in stdout.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[0][:80] if finished.exit_code == 0 and lines else None
