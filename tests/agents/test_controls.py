"""The controls, really run in each sandbox."""

from pathlib import Path
from typing import Any

import pytest

from agent_bench.agents.controls import Noop, Reference
from agent_bench.errors import UsageError
from agent_bench.model import AgentSpec

NOOP = AgentSpec(name="noop", adapter="noop")
REFERENCE = AgentSpec(name="reference", adapter="reference")


def test_noop_changes_nothing(stage: Any) -> None:
    (stage.workspace / "kept.txt").write_text("kept")
    finished = stage.run(Noop().invocation(NOOP, stage.assignment("x"), stage.host))
    assert finished.exit_code == 0
    assert [path.name for path in stage.workspace.iterdir()] == ["kept.txt"]
    assert (stage.workspace / "kept.txt").read_text() == "kept"


def test_reference_lays_the_solution_over_the_workspace(stage: Any, tmp_path: Path) -> None:
    solution = tmp_path / "solution $x"
    (solution / "pkg").mkdir(parents=True)
    (solution / "pkg/new.py").write_text("new")
    (solution / ".hidden").write_text("hidden")
    (solution / "over.txt").write_text("theirs")
    (solution / "run.sh").touch(mode=0o755)
    (stage.workspace / "over.txt").write_text("old")
    (stage.workspace / "kept.txt").write_text("kept")
    assignment = stage.assignment("x", solution=solution)
    finished = stage.run(Reference().invocation(REFERENCE, assignment, stage.host))
    assert finished.exit_code == 0, finished.stderr.read_text()
    found = {path.relative_to(stage.workspace).as_posix() for path in stage.workspace.rglob("*") if path.is_file()}
    assert found == {"pkg/new.py", ".hidden", "over.txt", "run.sh", "kept.txt"}
    assert (stage.workspace / "over.txt").read_text() == "theirs"
    assert (stage.workspace / "run.sh").stat().st_mode & 0o111


def test_reference_needs_a_solution(stage: Any) -> None:
    with pytest.raises(UsageError, match="no reference solution"):
        Reference().invocation(REFERENCE, stage.assignment("x"), stage.host)


def test_controls_are_always_there_and_need_no_key(stage: Any) -> None:
    for agent, spec in ((Noop(), NOOP), (Reference(), REFERENCE)):
        probe = agent.probe(spec, stage.host)
        assert (probe.status, probe.key_present, agent.env) == ("available", None, ())
