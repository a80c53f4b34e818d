"""Claude Code: how it is started, and what is read from recorded runs of versions 2.1.197 and 2.1.332."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_bench.agents.claude_code import ClaudeCode
from agent_bench.agents.interface import Evidence, Host, Reading
from agent_bench.model import AgentSpec, Finished, Usage

DATA = Path(__file__).parents[1] / "data" / "claude"
SPEC = AgentSpec(name="claude-code", adapter="claude-code")
SESSION = ".claude/projects/-workspace/1336df62.jsonl"

Make = Callable[..., Evidence]


def read(evidence: Evidence, exit_code: int = 0) -> Reading:
    finished = Finished(exit_code=exit_code, seconds=1, stdout=Path("/nonexistent"), stderr=Path("/nonexistent"))
    return ClaudeCode().read(SPEC, finished, evidence)


def counts(usage: Usage) -> tuple[int | None, ...]:
    return usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens


def recorded_result(name: str) -> bytes:
    files = (DATA / "results.jsonl", DATA / "results-2.1.197.jsonl")
    lines = [line for file in files for line in file.read_bytes().splitlines()]
    return next(line for line in lines if json.loads(line)["recorded_as"] == name)


@pytest.mark.parametrize(
    ("name", "truth", "cost"),
    [
        ("ok1", (2101, 5006, 514, 116), 0.0142952),
        ("twotools", (2101, 5006, 514, 116), 0.0142952),
        ("budget", (3303, 9009, 621, 189), 0.0218988),
        ("old197", (2118, 5006, 514, 121), 0.0193305),
    ],
)
def test_usage_is_what_the_server_counted(name: str, truth: tuple[int, ...], cost: float, evidence_of: Make) -> None:
    reading = read(evidence_of((DATA / f"{name}.jsonl").read_bytes()))
    assert counts(reading.usage) == truth
    assert reading.usage.source == "reported"
    assert reading.cost_usd == pytest.approx(cost)


def test_a_good_run(evidence_of: Make) -> None:
    reading = read(evidence_of((DATA / "ok1.jsonl").read_bytes()))
    assert (reading.failure, reading.model, reading.turns) == (None, "claude-opus-5-5", 2)
    assert reading.final_message == "Done: I wrote hello.txt."
    assert reading.note == ""
    # Its name for a larger context is not another model's.
    assert read(evidence_of((DATA / "old197.jsonl").read_bytes())).model == "claude-opus-4-8"


def test_success_that_is_an_error_of_the_provider(evidence_of: Make) -> None:
    reading = read(evidence_of((DATA / "e401r1.jsonl").read_bytes()), exit_code=1)
    assert reading.failure == "provider"
    assert "HTTP 401" in reading.failure_reason
    assert reading.usage == Usage()
    # What was paid before the error is kept.
    assert counts(read(evidence_of((DATA / "e401at2.jsonl").read_bytes())).usage) == (1000, 2003, 307, 53)


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("cut", "provider"),
        ("drop", "provider"),
        ("garbage", "provider"),
        ("hangto", "provider"),
        ("e404", "provider"),
        ("e429long", "provider"),
        ("e500r1", "provider"),
        ("e400", "agent"),
        ("maxtok", "agent"),
        ("refuse", "agent"),
        ("overflow", "agent"),
        ("loop", "agent"),
        ("sleepint", "agent"),
        ("unkmodel", None),
        ("2.1.197/401", "provider"),
        ("2.1.197/404", "provider"),
        ("2.1.197/429:3600", "provider"),
        ("2.1.197/500", "provider"),
        ("2.1.197/529", "provider"),
        ("2.1.197/cut", "provider"),
        ("2.1.197/drop", "provider"),
        ("2.1.197/garbage", "provider"),
        ("2.1.197/400", "agent"),
        ("2.1.197/maxtokens", "agent"),
        ("2.1.197/refuse", "agent"),
        ("2.1.197/overflow", "agent"),
    ],
)
def test_whose_fault_it_was(name: str, failure: str | None, evidence_of: Make) -> None:
    reading = read(evidence_of(recorded_result(name)), exit_code=1)
    assert reading.failure == failure
    assert bool(reading.failure_reason) == (failure is not None)


def test_an_empty_account_is_no_fault_of_the_agent(evidence_of: Make) -> None:
    result = json.loads(recorded_result("e400"))
    result["result"] = "API Error: 400 Your credit balance is too low to access the Anthropic API."
    assert read(evidence_of(json.dumps(result).encode())).failure == "provider"


def test_a_cost_that_is_a_guess_is_not_taken(evidence_of: Make) -> None:
    reading = read(evidence_of(recorded_result("unkmodel")))
    assert reading.cost_usd is None
    assert reading.usage.input_tokens == 2101
    assert reading.model == "my-unknown-model"


def test_a_killed_run_is_read_from_its_session(evidence_of: Make) -> None:
    stdout = (DATA / "sleepterm.jsonl").read_bytes()
    session = (DATA / "sleepterm.session.jsonl").read_bytes()
    reading = read(evidence_of(stdout, **{SESSION: session, SESSION + "2": session}), exit_code=143)
    assert counts(reading.usage) == (1000, 2003, 307, 53)
    assert (reading.usage.requests, reading.usage.source, reading.model) == (1, "reported", "claude-opus-5-5")
    assert "session" in reading.note
    reading = read(evidence_of(stdout), exit_code=143)
    assert (reading.usage, reading.failure, reading.model) == (Usage(), None, "claude-opus-5-5")
    assert "usage unknown" in reading.note


def test_a_run_that_ended_among_repeated_calls_is_the_providers(evidence_of: Make) -> None:
    lines = (DATA / "e401r1.jsonl").read_bytes().splitlines()
    before = [line for line in lines if b'"result"' not in line and b'"assistant"' not in line]
    reading = read(evidence_of(b"\n".join(before)), exit_code=143)
    assert reading.failure == "provider"
    assert "1 times" in reading.failure_reason


def test_two_models(evidence_of: Make) -> None:
    rows = {
        "claude-haiku": {
            "inputTokens": 17,
            "outputTokens": 5,
            "cacheReadInputTokens": 0,
            "cacheCreationInputTokens": 0,
        },
        "claude-opus": {
            "inputTokens": 100,
            "outputTokens": 50,
            "cacheReadInputTokens": 7,
            "cacheCreationInputTokens": 3,
        },
    }
    reading = read(evidence_of(json.dumps({"type": "result", "modelUsage": rows}).encode()))
    assert counts(reading.usage) == (117, 7, 3, 55)
    assert reading.model == "claude-opus"
    assert "2 models" in reading.note


@pytest.mark.parametrize(
    "stdout",
    [
        b"",
        b"\xff\xfe\x00{garbage\n{}\n[]\nnull\n",
        b'{"type":"result"}',
        b'{"type":"result","modelUsage":[1],"result":{"a":1},"is_error":"x","errors":5}',
        b'{"type":"result","modelUsage":{"m":{"inputTokens":"5","outputTokens":-1}},"total_cost_usd":"x"}',
        b'{"type":"result","modelUsage":{"m":{"inputTokens":NaN,"outputTokens":1e999}},"num_turns":true}',
        b'{"type":"result","modelUsage":{"m":null},"terminal_reason":[],"api_error_status":"401","is_error":true}',
        b'{"type":"assistant","message":[]}\n{"type":"system","subtype":"api_retry","error_status":{}}',
    ],
)
def test_nonsense_is_unknown_with_a_reason(stdout: bytes, evidence_of: Make) -> None:
    session = (
        b'{"message":{"role":"assistant","usage":[]}}\n{"message":{"role":"assistant","usage":{"input_tokens":"x"}}}'
    )
    for evidence in (evidence_of(stdout), evidence_of(stdout, **{SESSION: session})):
        reading = read(evidence)
        assert reading.usage.input_tokens is None
        assert reading.cost_usd is None


def test_what_it_said_on_stderr_is_the_reason(evidence_of: Make) -> None:
    stderr = b"Error: Input must be provided either through stdin or as a prompt argument\n"
    reading = read(evidence_of(stderr=stderr), exit_code=1)
    assert (reading.failure, reading.failure_reason) == ("agent", stderr.decode().strip())
    assert read(evidence_of()).failure is None


# ------------------------------------------------------------------------------------- probe and start


def test_probe(tmp_path: Path) -> None:
    def host(found: str | None, **environ: str) -> Host:
        return Host(which=lambda name: found if name == "claude" else None, environ=environ)

    probe = ClaudeCode().probe(SPEC, host(None, ANTHROPIC_API_KEY="k"))
    assert (probe.status, probe.remedy, probe.key_present) == (
        "unavailable",
        "npm install -g @anthropic-ai/claude-code",
        True,
    )
    probe = ClaudeCode().probe(SPEC, host("/x/claude"))
    assert (probe.status, probe.remedy) == ("unavailable", "export ANTHROPIC_API_KEY=...")
    assert (probe.key_present, probe.version_argv) == (False, ("/x/claude", "--version"))
    for key in ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"):
        assert ClaudeCode().probe(SPEC, host("/x/claude", **{key: "k"})).status == "available"


@pytest.fixture
def stand_in(tmp_path: Path, recorder: tuple[str, str]) -> str:
    """PATH with a ``claude`` in an npm prefix that records what it is given."""
    package = tmp_path / "user/.npm-global/lib/node_modules/@anthropic-ai/claude-code"
    package.mkdir(parents=True)
    text = Path(recorder[1]).read_text()
    (package / "cli").write_text(f"#!{sys.executable}\n{text}")
    (package / "cli").chmod(0o755)
    (tmp_path / "user/.npm-global/bin").mkdir()
    (tmp_path / "user/.npm-global/bin/claude").symlink_to("../lib/node_modules/@anthropic-ai/claude-code/cli")
    return f"{tmp_path}/user/.npm-global/bin:{os.environ['PATH']}"


@pytest.mark.parametrize("prompt", ["-p --help \"q\" '$HOME'\n ünï\r\n", "x " * 100_000], ids=["nasty", "long"])
def test_it_is_given_the_prompt_exactly(stage: Any, stand_in: str, prompt: str) -> None:
    stage.environ["PATH"] = stand_in
    spec = SPEC.model_copy(update={"model": "claude-x"})
    finished = stage.run(ClaudeCode().invocation(spec, stage.assignment(prompt, ANTHROPIC_API_KEY="k"), stage.host))
    assert finished.exit_code == 0, finished.stderr.read_text()
    record = json.loads((stage.workspace / "record.json").read_text())
    assert record["stdin"] == prompt
    assert record["arguments"] == [
        *("-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"),
        *("--setting-sources", "", "--model", "claude-x"),
    ]
    environment = record["environment"]
    assert environment["IS_SANDBOX"] == environment["DISABLE_AUTOUPDATER"] == "1"
    assert environment["ANTHROPIC_API_KEY"] == "k"
    assert environment["CLAUDE_CONFIG_DIR"] == f"{environment['HOME']}/.claude"


def test_a_prompt_that_looks_like_a_command_of_its_own(stage: Any, stand_in: str) -> None:
    # "/help" would be a command of Claude Code's, and never reach a model; " /help" is a prompt.
    stage.environ["PATH"] = stand_in
    finished = stage.run(ClaudeCode().invocation(SPEC, stage.assignment("/help 'me' $HOME\n"), stage.host))
    assert finished.exit_code == 0, finished.stderr.read_text()
    record = json.loads((stage.workspace / "record.json").read_text())
    assert record["stdin"] == " /help 'me' $HOME\n"
    assert record["arguments"][-2:] == ["--setting-sources", ""]
