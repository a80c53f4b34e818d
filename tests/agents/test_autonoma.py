"""autonoma: driven for real by a stand-in that behaves as the program was seen to; and what is read of its traces."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_bench.agents.autonoma import Autonoma
from agent_bench.agents.interface import Evidence, Host, Reading
from agent_bench.errors import UsageError
from agent_bench.model import AgentSpec, Finished, Usage

SCRIPTED = Path(__file__).parent / "scripted"
PROMPT = "--rounds 5 \"q\" 'x' $HOME `id`\nünï 🎉"
PROGRESS = "autonoma/progress/autonoma-progress.json"
CALLS = "autonoma/traces/run/llm-calls.jsonl"
EVENTS = "autonoma/traces/run/events.jsonl"

Make = Callable[..., Evidence]


def spec(model: str | None = None) -> AgentSpec:
    return AgentSpec(name="autonoma", adapter="autonoma", model=model)


@pytest.fixture
def driven(stage: Any, tmp_path: Path) -> Callable[..., tuple[Finished, Reading]]:
    """Runs the stand-in through the adapter, from where a tool of uv's would be."""
    tool = tmp_path / "user/.local/share/uv/tools/autonoma/bin/autonoma"
    tool.parent.mkdir(parents=True)
    tool.write_text(f"#!{sys.executable}\n{(SCRIPTED / 'autonoma_like.py').read_text()}")
    tool.chmod(0o755)
    link = tmp_path / "user/.local/bin/autonoma"
    link.parent.mkdir(parents=True)
    link.symlink_to(tool)
    stage.environ["PATH"] = f"{link.parent}:{os.environ['PATH']}"

    def drive(model: str, prompt: str = PROMPT, timeout_sec: float = 30) -> tuple[Finished, Reading]:
        agent = Autonoma()
        assignment = stage.assignment(prompt, ANTHROPIC_API_KEY="k")
        assignment = assignment.model_copy(update={"timeout_sec": timeout_sec})
        finished = stage.run(agent.invocation(spec(model), assignment, stage.host))
        return finished, agent.read(spec(model), finished, stage.evidence(finished, agent.keeps(spec(model))))

    return drive


def test_a_complete_build(stage: Any, driven: Callable[..., tuple[Finished, Reading]]) -> None:
    finished, reading = driven("complete")
    assert finished.exit_code == 0, finished.stderr.read_text()
    # Exactly the files of the project, nothing of its own.
    assert [path.name for path in stage.workspace.iterdir()] == ["prompt.txt"]
    assert (stage.workspace / "prompt.txt").read_text() == PROMPT
    assert (reading.failure, reading.model, reading.turns) == (None, "complete", 4)
    # Its total, plus the call that is not yet in it: an estimate, not the 1100 that it logged.
    assert reading.usage == Usage(input_tokens=5224, output_tokens=2239, source="estimated")
    assert reading.usage.total_tokens == 6363 + 1100
    assert "70 %" in reading.note
    assert reading.final_message == "The final answer."
    assert (stage.folder / "traces" / PROGRESS).is_file()
    assert [path.name for path in (stage.folder / "traces").rglob("*.jsonl")]


def test_exit_0_though_incomplete(driven: Callable[..., tuple[Finished, Reading]]) -> None:
    finished, reading = driven("incomplete")
    assert finished.exit_code == 0
    assert reading.failure == "agent"
    assert reading.failure_reason == "incomplete: 0 of 1 tasks done (max_rounds_reached)"


def test_exit_0_though_no_model_answered(driven: Callable[..., tuple[Finished, Reading]]) -> None:
    finished, reading = driven("unreachable")
    assert finished.exit_code == 0
    assert reading.failure == "provider"
    assert "Connection error" in reading.failure_reason


def test_a_killed_build_tells_no_part_for_the_whole(driven: Callable[..., tuple[Finished, Reading]]) -> None:
    finished, reading = driven("hang", timeout_sec=1)
    assert finished.timed_out
    assert reading.usage == Usage()
    assert "not all" in reading.note
    assert reading.model == "hang"


def test_a_prompt_that_fits_in_no_argument_is_refused(stage: Any, driven: object) -> None:
    with pytest.raises(UsageError, match="longer than"):
        Autonoma().invocation(spec(), stage.assignment("x" * 200_000), stage.host)


def test_an_installation_that_cannot_call_is_no_fault_of_the_provider(ended: Finished, evidence_of: Make) -> None:
    error = "TypeError: AsyncMessages.create() got an unexpected keyword argument 'temperature'"
    files = {
        CALLS: json.dumps({"phase": "final_answer", "error": error}).encode(),
        PROGRESS: b'{"progress": {"done": 0, "total": 1, "completed": false}}',
    }
    reading = Autonoma().read(spec(), ended, evidence_of(**files))
    assert reading.failure == "agent"
    assert "anthropic 0.92.0" in reading.failure_reason


def test_an_error_of_the_last_call_does_not_undo_a_complete_build(ended: Finished, evidence_of: Make) -> None:
    files = {CALLS: b'{"error": "x"}', PROGRESS: b'{"progress": {"done": 1, "total": 1, "completed": true}}'}
    assert Autonoma().read(spec(), ended, evidence_of(**files)).failure is None


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"[]", b"{}", b'{"progress": 5, "data": [], "event": 7}', b"[" * 90_000]
)
def test_nonsense_is_unknown_with_a_reason(content: bytes, ended: Finished, evidence_of: Make) -> None:
    finished_event = b'{"event": "swarm.finished", "data": {"total_tokens": "many"}}\n'
    meta = "autonoma/traces/run/meta.json"
    for events in (content, finished_event):
        files = {PROGRESS: content, CALLS: content, EVENTS: events, meta: content}
        reading = Autonoma().read(spec("m"), ended, evidence_of(**files))
        assert reading.usage == Usage()
        assert reading.note.startswith("usage unknown")
        assert (reading.failure, reading.model) == ("agent", "m")


def test_probe() -> None:
    def host(found: str | None, **environ: str) -> Host:
        return Host(which=lambda name: found if name == "autonoma" else None, environ=environ)

    probe = Autonoma().probe(spec(), host(None))
    assert probe.status == "unavailable"
    assert probe.remedy.startswith("uv tool install --with anthropic==0.92.0")
    assert Autonoma().probe(spec(), host("/x/autonoma")).remedy == "export ANTHROPIC_API_KEY=..."
    for key in ("ANTHROPIC_API_KEY", "AUTONOMA_ANTHROPIC_API_KEY"):
        assert Autonoma().probe(spec(), host("/x/autonoma", **{key: "k"})).status == "available"
