"""Which agents can run here: versions are really asked for, at the same time, and nothing that fails hides another."""

import os
import sys
import time
from pathlib import Path

import anyio
import pytest

from agent_bench.agents import probing
from agent_bench.agents.interface import Probe
from agent_bench.agents.probing import host_of, probe_all
from agent_bench.model import AgentSpec
from agent_bench.process import open_launcher


def probes(specs: list[AgentSpec], environ: dict[str, str], *, ask: bool = True) -> dict[str, Probe]:
    async def go() -> dict[str, Probe]:
        if not ask:
            return await probe_all(specs, host_of(environ), None)
        async with open_launcher() as launcher:
            return await probe_all(specs, host_of(environ), launcher)

    return anyio.run(go)


def spec(name: str, version: str) -> AgentSpec:
    return AgentSpec(name=name, adapter="command", options={"command": "true", "version": version})


def test_versions(tmp_path: Path) -> None:
    specs = [
        spec("good", "echo; echo '  good 1.2.3  '; echo more"),
        spec("on-stderr", "echo 1.0 >&2"),
        spec("failing", "echo 9.9; exit 3"),
        spec("long", "printf 'x%.0s' $(seq 500)"),
        spec("bytes", "printf '\\377\\376 1.0'"),
        spec("home", 'test -w "$HOME" && test "$HOME" = "$PWD" && ! test -e "$HOME/.secret" && echo own home'),
    ]
    (tmp_path / ".secret").touch()
    found = probes(specs, {"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    versions = {name: probe.version for name, probe in found.items()}
    assert {probe.status for probe in found.values()} == {"available"}
    assert versions["good"] == "good 1.2.3"
    assert versions["home"] == "own home"
    assert versions["long"] == "x" * 80
    assert versions["bytes"] is not None
    assert (versions["on-stderr"], versions["failing"]) == (None, None)
    assert list(found) == [spec.name for spec in specs]


def test_one_that_hangs_delays_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "VERSION_SECONDS", 1.0)
    specs = [spec(f"hangs{number}", "sleep 60") for number in range(5)] + [spec("good", "echo 1.0")]
    began = time.monotonic()
    found = probes(specs, {"PATH": os.environ["PATH"]})
    assert time.monotonic() - began < 20
    assert found["hangs0"].version is None
    assert found["hangs0"].status == "available"
    assert found["good"].version == "1.0"


def test_without_a_launcher_nothing_is_started(tmp_path: Path) -> None:
    found = probes([spec("x", f"touch {tmp_path}/started; echo 1")], {"PATH": os.environ["PATH"]}, ask=False)
    assert found["x"].status == "available"
    assert list(tmp_path.iterdir()) == []


def test_a_broken_adapter_hides_no_other(tmp_path: Path) -> None:
    specs = [
        AgentSpec(name="odd", adapter="no-such-adapter"),
        AgentSpec(name="defect", adapter="command"),
        AgentSpec(name="noop", adapter="noop"),
    ]
    found = probes(specs, {})
    assert (found["odd"].status, found["noop"].status) == ("unavailable", "available")
    assert "unknown adapter" in found["odd"].reason
    assert "KeyError" in found["defect"].reason


def test_an_installed_agent_is_found_on_the_users_path(tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.write_text(f"#!{sys.executable}\nimport sys\nprint('2.1.197 (Claude Code)', *sys.argv[1:])\n")
    program.chmod(0o755)
    agents = [AgentSpec(name="claude-code", adapter="claude-code")]
    environ = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path / "user")}
    probe = probes(agents, environ)["claude-code"]
    assert (probe.status, probe.version) == ("unavailable", "2.1.197 (Claude Code) --version")
    probe = probes(agents, {**environ, "ANTHROPIC_API_KEY": "k"})["claude-code"]
    assert (probe.status, probe.key_present) == ("available", True)
    assert host_of(environ).which("claude") == str(program)
    assert host_of({"PATH": ""}).which("claude") is None
