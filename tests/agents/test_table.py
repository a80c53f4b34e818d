"""The table of adapters, those of packages among them; and the agents that need no configuration."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from agent_bench.agents import table
from agent_bench.agents.interface import Host
from agent_bench.agents.table import adapter_names, default_specs, find_agent
from agent_bench.errors import UsageError
from agent_bench.model import AgentSpec

HOST = Host(which={}.get, environ={})


def test_every_adapter_is_there_and_fulfils_the_contract() -> None:
    assert adapter_names()[:2] == ["noop", "reference"]
    for name in adapter_names():
        agent = find_agent(name)
        assert isinstance(agent.env, tuple)
        assert callable(agent.probe)
        spec = AgentSpec(name=name, adapter=name, options={"command": "x"} if name == "command" else {})
        assert agent.probe(spec, HOST).status in ("available", "unavailable", "unsupported")
        assert isinstance(agent.keeps(spec), tuple)


def test_a_wrong_name_gives_the_nearest_and_the_list() -> None:
    with pytest.raises(UsageError) as caught:
        find_agent("claude-kode")
    assert "unknown adapter 'claude-kode'" in caught.value.message
    assert "did you mean 'claude-code'?" in (caught.value.hint or "")
    assert "autonoma" in (caught.value.hint or "")


def test_agents_without_configuration() -> None:
    specs = {spec.name: spec for spec in default_specs()}
    assert set(specs) >= {"noop", "reference", "claude-code", "autonoma", "nexus", "agentforge"}
    assert "command" not in specs
    assert {spec.model for spec in specs.values()} == {None}
    specs = {spec.name: spec for spec in default_specs({"NEXUS_MODEL": "gpt-4o", "AUTONOMA_MODEL": ""})}
    assert (specs["nexus"].model, specs["autonoma"].model) == ("gpt-4o", None)


def test_one_that_can_never_run() -> None:
    probe = find_agent("agentforge").probe(AgentSpec(name="agentforge", adapter="agentforge"), HOST)
    assert probe.status == "unsupported"
    assert probe.reason


def test_packages_add_adapters_and_a_broken_one_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "their_package.py").write_text(
        "from agent_bench.agents.controls import Noop\n\nclass Theirs(Noop):\n    pass\n\n1 / 0 if False else None\n"
    )
    (tmp_path / "broken_package.py").write_text("raise RuntimeError('not today')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = {
        "theirs": EntryPoint("theirs", "their_package:Theirs", "agent_bench.agents"),
        "broken": EntryPoint("broken", "broken_package:X", "agent_bench.agents"),
        "gone": EntryPoint("gone", "no_such_package:X", "agent_bench.agents"),
        "noop": EntryPoint("noop", "their_package:Theirs", "agent_bench.agents"),
    }

    def entry_points(*, group: str) -> list[Any]:
        return [point for point in found.values() if point.group == group]

    monkeypatch.setattr(table, "entry_points", entry_points)
    assert type(find_agent("theirs")).__name__ == "Theirs"
    # No package can put itself in the place of what comes with the program.
    assert type(find_agent("noop")).__name__ == "Noop"
    with pytest.raises(UsageError, match="'broken' .broken_package:X. cannot be loaded: RuntimeError: not today"):
        find_agent("broken")
    with pytest.raises(UsageError, match="ModuleNotFoundError"):
        find_agent("gone")
    assert {"theirs", "broken", "gone"} <= {spec.name for spec in default_specs()}
    sys.modules.pop("their_package", None)
