"""``agent-bench agents``: which agents there are, and what each needs."""

import os
from typing import Any

import anyio
import typer

from agent_bench.agents.interface import Probe
from agent_bench.agents.probing import host_of, probe_all
from agent_bench.cli import options
from agent_bench.cli.loading import known_agents, report_problems
from agent_bench.cli.output import cells, emit_json, note, results_console, show, table
from agent_bench.model import AgentSpec
from agent_bench.process import open_launcher
from agent_bench.reports import figures
from agent_bench.reports.untrusted import one_line

app = typer.Typer(add_completion=False)


@app.command()
def agents(json: options.JsonOption = False) -> None:
    """List agents: installed, version, key, and the one command that would make each available."""
    specs, problems = known_agents()
    probes = probe_agents(specs)
    if json:
        emit_json([_as_json(spec, probes[spec.name]) for spec in specs])
    else:
        console = results_console()
        listing = table(console, ("agent", "status", "version", "key", "what to do"))
        for spec in specs:
            listing.add_row(*cells(*_row(spec, probes[spec.name])))
        show(console, listing)
        note("any other command: agent-bench run TASK --agent 'NAME=COMMAND {prompt}', or agents/NAME.yaml")
    report_problems(problems, "agent")


def probe_agents(specs: list[AgentSpec]) -> dict[str, Probe]:
    """Looks which agents are here, and asks them for their versions."""
    return anyio.run(_probe, specs)


async def _probe(specs: list[AgentSpec]) -> dict[str, Probe]:
    async with open_launcher() as launcher:
        return await probe_all(specs, host_of(os.environ), launcher)


def _row(spec: AgentSpec, probe: Probe) -> tuple[str, ...]:
    key = figures.UNKNOWN if probe.key_present is None else figures.mark(float(probe.key_present))
    todo = probe.remedy or probe.reason
    return (spec.name, probe.status, one_line(probe.version or "", 40), key, one_line(todo))


def _as_json(spec: AgentSpec, probe: Probe) -> dict[str, Any]:
    facts = probe.model_dump(exclude={"version_argv"})
    return {"name": spec.name, "adapter": spec.adapter, "model": spec.model, **facts}
