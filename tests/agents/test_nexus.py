"""nexus: how it is started, and the one number that it prints."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_bench.agents.interface import Evidence, Host
from agent_bench.agents.nexus import Nexus, total_tokens
from agent_bench.model import AgentSpec, Finished, Usage

SPEC = AgentSpec(name="nexus", adapter="nexus")
TABLE = """\
┏━━━━━━━━━━━━━━┳━━━━━━━━━━━┓
┃ Metric       ┃ Value     ┃
┡━━━━━━━━━━━━━━╇━━━━━━━━━━━┩
│ Duration     │ 12.5s     │
│ Total Tokens │ {}        │
│ Total Cost   │ $0.12     │
└──────────────┴───────────┘
"""


@pytest.mark.parametrize(
    ("text", "total"),
    [
        (TABLE.format("12,345"), 12345),
        (TABLE.format("12345"), 12345),
        (TABLE.format("1_234_567"), 1234567),
        (TABLE.format("12 345"), 12345),
        (TABLE.format("0"), 0),
        ("| Total Tokens | 987 |", 987),
        ("Total Tokens: 987", 987),
        ("total tokens ........ 987\n", 987),
        ("\x1b[1mTotal Tokens\x1b[0m \x1b[36m│\x1b[0m \x1b[38;5;2m987\x1b[0m", 987),
        ("Total Tokens │ 1\nTotal Tokens │ 2\n", 2),
        (TABLE.format("12.3k"), None),
        (TABLE.format("1.5"), None),
        (TABLE.format("12345678901234567890"), None),
        (TABLE.format("many"), None),
        ("Total Tokens\n\n 5", None),
        ("Subtotal Tokens 5", None),
        ("", None),
    ],
)
def test_the_row(text: str, total: int | None) -> None:
    assert total_tokens(text.encode()) == total


def test_bad_bytes() -> None:
    assert total_tokens(b"\xff\xfe Total Tokens | \xff 5") == 5
    assert total_tokens(b"\x1b]0;title" * 10_000) is None


def test_reading(ended: Finished, evidence_of: Callable[..., Evidence]) -> None:
    reading = Nexus().read(SPEC, ended, evidence_of(TABLE.format("10,001").encode()))
    assert reading.usage == Usage(input_tokens=7001, output_tokens=3000, source="estimated")
    assert (reading.model, "70 %" in reading.note) == ("claude-sonnet-4-6", True)
    reading = Nexus().read(SPEC.model_copy(update={"model": "m"}), ended, evidence_of(b"Tokens used: 5"))
    assert (reading.usage, reading.model) == (Usage(), "m")
    assert "'Total Tokens'" in reading.note


@pytest.mark.parametrize("model", [None, "claude-x"])
def test_it_is_given_the_prompt_exactly(
    stage: Any, tmp_path: Path, recorder: tuple[str, str], model: str | None
) -> None:
    program = tmp_path / "user/tools/nexus/bin/nexus"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\n{Path(recorder[1]).read_text()}")
    program.chmod(0o755)
    stage.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    spec = SPEC.model_copy(update={"model": model})
    prompt = "--help \"q\" '$HOME' `id`\nünï"
    finished = stage.run(Nexus().invocation(spec, stage.assignment(prompt), stage.host))
    assert finished.exit_code == 0, finished.stderr.read_text()
    record = json.loads((stage.workspace / "record.json").read_text())
    assert record["arguments"] == ["build", "--output", record["folder"], "--no-tui", "--", prompt]
    assert record["environment"]["NEXUS_MODEL"] == (model or "claude-sonnet-4-6")


def test_probe() -> None:
    def host(found: str | None, **environ: str) -> Host:
        return Host(which={"nexus": found}.get, environ=environ)

    assert Nexus().probe(SPEC, host(None)).reason == "not installed"
    assert Nexus().probe(SPEC, host("/x/nexus")).remedy == "export ANTHROPIC_API_KEY=..."
    assert Nexus().probe(SPEC, host("/x/nexus", ANTHROPIC_API_KEY="k")).status == "available"
