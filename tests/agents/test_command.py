"""Any command as an agent: what a real program is really given, in each sandbox; and what is read from it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_bench.agents.command import CommandAgent
from agent_bench.agents.interface import Evidence, Host
from agent_bench.errors import UsageError
from agent_bench.model import AgentSpec, Finished

NASTY = "-x --help\n\"dq\" 'sq' $HOME `id` $(id) ; | & \\ \t {model} {}\nünï 日本 🎉 \r\n"
LONG = "-long ü " * 22_000
"""200 kB."""

Spec = Callable[..., AgentSpec]


def recorded(stage: Any, spec: AgentSpec, prompt: str, **visible: str) -> dict[str, Any]:
    """Runs the agent; what it recorded of what it was given."""
    agent = CommandAgent()
    finished = stage.run(agent.invocation(spec, stage.assignment(prompt, **visible), stage.host))
    assert finished.exit_code == 0, finished.stderr.read_text()
    record: dict[str, Any] = json.loads((stage.workspace / "record.json").read_text())
    return record


@pytest.mark.parametrize("prompt", [NASTY, LONG], ids=["nasty", "long"])
@pytest.mark.parametrize("form", ["shell", "list"])
def test_prompt_by_stdin(stage: Any, recorder: tuple[str, str], command_spec: Spec, prompt: str, form: str) -> None:
    command = " ".join(recorder) if form == "shell" else recorder
    record = recorded(stage, command_spec(command), prompt)
    assert record["stdin"] == prompt
    assert record["arguments"] == []


@pytest.mark.parametrize("prompt", [NASTY, LONG], ids=["nasty", "long"])
def test_prompt_by_file(stage: Any, recorder: tuple[str, str], command_spec: Spec, prompt: str) -> None:
    record = recorded(stage, command_spec(f"{' '.join(recorder)} --file {{prompt_file}} 'm={{model}}'", "m 1"), prompt)
    assert record["prompt_file"] == prompt
    assert record["arguments"] == ["--file", f"{record['environment']['HOME']}/prompt.txt", "m=m 1"]
    assert record["stdin"] == ""


@pytest.mark.parametrize("form", ["shell", "list"])
def test_prompt_as_argument(stage: Any, recorder: tuple[str, str], command_spec: Spec, form: str) -> None:
    words = (*recorder, "--", "{prompt}", "{workspace}")
    command = " ".join(words) if form == "shell" else words
    record = recorded(stage, command_spec(command), NASTY)
    assert record["arguments"] == ["--", NASTY, record["folder"]]
    assert record["stdin"] == ""
    assert not record["is_terminal"]


@pytest.mark.parametrize("form", ["shell", "list"])
def test_a_prompt_too_long_for_an_argument_is_pointed_at(
    stage: Any, recorder: tuple[str, str], command_spec: Spec, form: str
) -> None:
    words = (*recorder, "{prompt}")
    spec = command_spec(" ".join(words) if form == "shell" else words)
    record = recorded(stage, spec, LONG)
    assert record["prompt_file"] == LONG
    assert f"{record['environment']['HOME']}/prompt.txt" in record["arguments"][0]
    agent = CommandAgent()
    finished = Finished(exit_code=0, seconds=1, stdout=Path("/dev/null"), stderr=Path("/dev/null"))
    evidence = stage.evidence(finished, agent.keeps(spec))
    assert "told to read it from a file" in agent.read(spec, finished, evidence).note


@pytest.mark.parametrize("length", [131_071, 131_072, 131_073])
@pytest.mark.parametrize("template", ["{prompt}", "--task={prompt}", "'it is {prompt} and'"])
def test_the_longest_argument_is_found_exactly_or_the_file_is_named(
    hidden_stage: Any, recorder: tuple[str, str], command_spec: Spec, length: int, template: str
) -> None:
    record = recorded(hidden_stage, command_spec(f"{' '.join(recorder)} {template}"), "a" * length)
    (argument,) = record["arguments"]
    assert "a" * length in argument or "prompt.txt" in argument


def test_environment_is_what_was_allowed(stage: Any, recorder: tuple[str, str], command_spec: Spec) -> None:
    record = recorded(stage, command_spec(" ".join(recorder)), "x", MY_KEY="k")
    environment = record["environment"]
    assert environment["MY_KEY"] == "k"
    assert set(environment) >= {"PATH", "HOME", "TMPDIR", "LANG", "TZ"}
    assert not {name for name in environment if name.startswith(("PYTEST", "UV_", "PIP_INDEX", "USER", "LOGNAME"))}


def test_a_nul_in_the_prompt_is_refused(stage: Any, command_spec: Spec) -> None:
    with pytest.raises(UsageError, match="NUL"):
        CommandAgent().invocation(command_spec("agent {prompt}"), stage.assignment("a\0b"), stage.host)


def test_shell_commands_work_as_such(stage: Any, command_spec: Spec) -> None:
    spec = command_spec("cd {workspace} && printf %s {prompt} | tr a-z A-Z > out.txt; test -s out.txt && exit 7")
    finished = stage.run(CommandAgent().invocation(spec, stage.assignment("it's $HOME"), stage.host))
    assert finished.exit_code == 7
    assert (stage.workspace / "out.txt").read_text() == "IT'S $HOME"


# ------------------------------------------------------------------------------------------------ probe


def host(tmp_path: Path, *programs: str, **environ: str) -> Host:
    (tmp_path / "bin").mkdir(exist_ok=True)
    for name in programs:
        (tmp_path / "bin" / name).touch(mode=0o755)
    found = {name: str(tmp_path / "bin" / name) for name in programs}
    return Host(which=found.get, environ=environ)


@pytest.mark.parametrize(
    "command",
    ["agent {prompt}", "A=1 agent -x", "cd /x && agent", "if true; then agent; fi", "$AGENT x", ("agent", "{prompt}")],
)
def test_available(command: Any, tmp_path: Path, command_spec: Spec) -> None:
    probe = CommandAgent().probe(command_spec(command), host(tmp_path, "agent"))
    assert probe.status == "available"
    assert probe.key_present is None


@pytest.mark.parametrize("command", ["gone {prompt}", "A=1 gone", ("gone",), ("cd", "x"), "/no/such/program x"])
def test_program_that_is_not_there(command: Any, tmp_path: Path, command_spec: Spec) -> None:
    probe = CommandAgent().probe(command_spec(command), host(tmp_path, "agent"))
    assert probe.status == "unavailable"
    assert "not on the PATH" in probe.reason or "no such file: /no/such/program" in probe.reason


def test_a_variable_that_is_not_set(tmp_path: Path, command_spec: Spec) -> None:
    spec = command_spec("agent", version="agent -V").model_copy(update={"env": ("A_KEY", "B_KEY", "A_BASE_URL")})
    probe = CommandAgent().probe(spec, host(tmp_path, "agent", A_KEY="x"))
    assert (probe.status, probe.reason, probe.remedy) == ("unavailable", "B_KEY is not set", "export B_KEY=...")
    assert probe.key_present is False
    assert probe.version_argv == ("/bin/sh", "-c", "agent -V")
    probe = CommandAgent().probe(spec, host(tmp_path, "agent", A_KEY="x", B_KEY="y"))
    assert (probe.status, probe.key_present) == ("available", True)


def test_named_programs_are_looked_for(tmp_path: Path, command_spec: Spec) -> None:
    spec = command_spec("agent", programs=("tool",))
    assert CommandAgent().probe(spec, host(tmp_path, "agent")).reason == "'tool' is not on the PATH"
    assert CommandAgent().probe(spec, host(tmp_path, "agent", "tool")).status == "available"


# ------------------------------------------------------------------------------------------------- read


def test_reading(command_spec: Spec, ended: Finished, evidence_of: Callable[..., Evidence]) -> None:
    agent = CommandAgent()
    reading = agent.read(command_spec("x", "m1"), ended, evidence_of())
    assert (reading.model, reading.usage.source) == ("m1", "none")
    assert "no 'usage'" in reading.note
    usage = {"source": "stdout", "format": "json", "fields": {"input_tokens": "in", "model": "m"}}
    spec = command_spec("x {prompt}", "m1", usage=usage)
    reading = agent.read(spec, ended, evidence_of(b'{"in": 5, "m": "m2"}'))
    assert (reading.model, reading.usage.input_tokens, reading.note) == ("m2", 5, "")
    assert agent.keeps(spec) == ("prompt.txt",)
    spec = command_spec("x", usage="claude-code")
    line = b'{"type":"result","modelUsage":{"c":{"inputTokens":1,"outputTokens":2}},"result":"ok"}'
    assert agent.read(spec, ended, evidence_of(line)).usage.output_tokens == 2
    assert agent.keeps(spec) == (".claude/projects/**/*.jsonl",)


def test_programs_that_a_wrapper_calls_by_name_are_there(hidden_stage: Any, command_spec: Spec, tmp_path: Path) -> None:
    for name, text in {"wrapper": "#!/bin/sh\nexec inner\n", "inner": "#!/bin/sh\necho it runs\n"}.items():
        program = tmp_path / "user" / name / "bin" / name
        program.parent.mkdir(parents=True)
        program.write_text(text)
        program.chmod(0o755)
        hidden_stage.environ["PATH"] = f"{program.parent}:{hidden_stage.environ['PATH']}"
    agent = CommandAgent()
    for programs, exit_code in (((), 127), (("inner",), 0)):
        spec = command_spec("wrapper", programs=programs)
        finished = hidden_stage.run(agent.invocation(spec, hidden_stage.assignment("x"), hidden_stage.host))
        assert finished.exit_code == exit_code, finished.stderr.read_text()


def test_relative_script_in_its_own_folder_runs_where_the_host_is_hidden(
    hidden_stage: Any, command_spec: Spec, tmp_path: Path
) -> None:
    own = tmp_path / "my agent"
    own.mkdir()
    (own / "part.py").write_text("TEXT = 'from a module beside it'\n")
    (own / "main.py").write_text("import part; open('out.txt', 'w').write(part.TEXT)\n")
    spec = command_spec((sys.executable, str(own / "main.py")))
    agent = CommandAgent()
    finished = hidden_stage.run(agent.invocation(spec, hidden_stage.assignment("x"), hidden_stage.host))
    assert finished.exit_code == 0, finished.stderr.read_text()
    assert (hidden_stage.workspace / "out.txt").read_text() == "from a module beside it"
