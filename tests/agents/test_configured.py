"""Agents by configuration: files, the command line, and what is said of mistakes."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_bench.agents.command import CommandAgent
from agent_bench.agents.configured import parse_agent_option, read_configured
from agent_bench.errors import FileError, UsageError
from agent_bench.model import AgentSpec

ROOT = Path(__file__).parents[2]


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder


def one(folder: Path, text: str) -> AgentSpec:
    (spec,), problems = read_configured([write(folder, "mine.yaml", text)])
    assert problems == []
    return spec


def problem(folder: Path, text: str, name: str = "mine.yaml") -> FileError:
    specs, (found,) = read_configured([write(folder, name, text)])
    assert specs == []
    return found


def test_a_whole_file(tmp_path: Path) -> None:
    text = """\
command: my-agent --yes {prompt_file} -m {model}
timeout: PT1H30M
model: m1
env: [A_KEY, B_URL]
version: my-agent --version
programs: [tool, ./helper, /opt/x/bin/x]
usage: {source: stdout, format: json, fields: {input_tokens: usage.in}}
"""
    spec = one(tmp_path, text)
    assert (spec.name, spec.adapter, spec.model, spec.timeout_sec) == ("mine", "command", "m1", 5400.0)
    assert spec.env == ("A_KEY", "B_URL")
    assert spec.options["command"] == "my-agent --yes {prompt_file} -m {model}"
    assert spec.options["version"] == "my-agent --version"
    assert spec.options["programs"] == ("tool", str(tmp_path / "helper"), "/opt/x/bin/x")
    assert spec.options["usage"]["fields"] == {"input_tokens": "usage.in"}
    # It is stored with the run and read again.
    again = AgentSpec.model_validate_json(spec.model_dump_json())
    assert CommandAgent().keeps(again) == ()


@pytest.mark.parametrize(
    ("text", "seconds"), [("5", 5.0), ("0.5", 0.5), ("PT10M", 600.0), ("PT1H", 3600.0), ("P1DT1S", 86401.0)]
)
def test_timeouts(tmp_path: Path, text: str, seconds: float) -> None:
    assert one(tmp_path, f"command: x\ntimeout: {text}\n").timeout_sec == seconds


def test_the_form_of_others(tmp_path: Path) -> None:
    spec = one(tmp_path, "command: claude --print --dangerously-skip-permissions {prompt}\ntimeout: PT5M\n")
    assert spec.timeout_sec == 300.0
    assert one(tmp_path, "command: [a, '{prompt}', b c]\n").options["command"] == ("a", "{prompt}", "b c")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("command: x\ntimout: 5\n", 2, ("timout", "did you mean 'timeout'", "allowed: command")),
        ("timeout: 5\n", None, ("command", "missing")),
        ("command: ''\n", 1, ("command",)),
        ("command: []\n", 1, ("command",)),
        ("command: 5\n", 1, ("command", "found 5")),
        ("command: x\ncommand: y\n", 2, ("stands twice",)),
        ("command: x\ntimeout: ten minutes\n", 2, ("timeout", "ten minutes", "PT10M")),
        ("command: x\ntimeout: -5\n", 2, ("timeout", "found -5")),
        ("command: x\ntimeout: 0\n", 2, ("timeout", "found 0")),
        ("command: x\ntimeout: .inf\n", 2, ("timeout", "found inf")),
        ("command: x\ntimeout: true\n", 2, ("timeout", "found true")),
        ("command: x\ntimeout: P1Y\n", 2, ("timeout", "P1Y")),
        ("command: x\nenv: [A, B=secret]\n", 2, ("env", "the name of a variable")),
        ("command: x\nenv: A_KEY\n", 2, ("env", "A_KEY")),
        ("command: x\nusage: codex\n", 2, ("usage", "claude-code")),
        ("command: x\nusage:\n  source: stdout\n  fields: {input_tokens: a}\n", 2, ("combine",)),
        ("command: x\nusage:\n  source: stdout\n  feilds: {}\n", 4, ("feilds", "fields")),
        ("command: bash -c 'x {prompt}'\n", 1, ("command", "read as code")),
        ("- x\n", 1, ("a list",)),
        ("", 1, ("nothing",)),
        ("command: [x\n", 2, ("not valid YAML",)),
    ],
)
def test_mistakes_are_told_with_their_place(
    tmp_path: Path, text: str, line: int | None, words: tuple[str, ...]
) -> None:
    found = problem(tmp_path, text)
    said = f"{found.message} {found.hint}"
    assert found.path == tmp_path / "mine.yaml"
    assert line is None or found.line == line, said
    assert all(word in said for word in words), said
    assert "secret" not in found.message or "env" in found.message


@pytest.mark.parametrize("name", ["noop", "reference", "-x", ".x", "a b", "ü", "a=b", "x" * 101])
def test_names_that_cannot_be(tmp_path: Path, name: str) -> None:
    assert "cannot be an agent's name" in problem(tmp_path, "command: x\n", f"{name}.yaml").message
    with pytest.raises(UsageError, match="cannot be an agent's name"):
        parse_agent_option(f"{name.split('=')[0] if '=' in name else name}=x" if name != "a=b" else "a b=x", tmp_path)


def test_one_bad_file_hides_no_other(tmp_path: Path) -> None:
    for name, text in {"a.yaml": "command: x\n", "b.yaml": "oops\n", "c.yml": "command: y\n", "d.txt": "no\n"}.items():
        write(tmp_path, name, text)
    (tmp_path / "e.yaml").write_bytes(b"\xff\xfe")
    (tmp_path / "f.yaml").mkdir()
    specs, problems = read_configured([tmp_path, tmp_path / "missing"])
    assert [spec.name for spec in specs] == ["a", "c"]
    assert [found.path.name for found in problems] == ["b.yaml", "e.yaml", "f.yaml"]


def test_the_first_of_two_with_one_name_holds(tmp_path: Path) -> None:
    first = write(tmp_path / "1", "a.yaml", "command: first\n")
    second = write(tmp_path / "2", "a.yaml", "command: second\n")
    (spec,), problems = read_configured([first, second])
    assert (spec.options["command"], problems) == ("first", [])
    write(first, "a.yml", "command: third\n")
    (spec,), (found,) = read_configured([first])
    assert (spec.options["command"], found.path.name) == ("first", "a.yml")


def test_an_agent_that_comes_with_the_program_can_be_defined_anew(tmp_path: Path) -> None:
    assert parse_agent_option("claude-code=my-claude {prompt}", tmp_path).adapter == "command"


@pytest.mark.parametrize(
    ("text", "words"),
    [("x=", "no command"), ("x=  ", "no command"), ("x=a 'b", "quotes"), ("x=sh -c '{prompt}'", "read as code")],
)
def test_mistakes_on_the_command_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_agent_option(text, tmp_path)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("./agent {prompt}", "{base}/agent {prompt}"),
        ("'./my agent' {prompt}", "'{base}/my agent' {prompt}"),
        ("./my\\ agent {prompt}", "'{base}/my agent' {prompt}"),
        ("sub/agent.py", "{base}/sub/agent.py"),
        ("A=1 ./agent", "A=1 {base}/agent"),
        ("python3 agent.py --x agent.py", "python3 {base}/agent.py --x agent.py"),
        ("python3 -u ./agent.py {prompt}", "python3 -u {base}/agent.py {prompt}"),
        ("/usr/bin/python3.11 agent.py", "/usr/bin/python3.11 {base}/agent.py"),
        ("python3 -m agent agent.py", "python3 -m agent agent.py"),
        ("python3 gone.py", "python3 gone.py"),
        ("uv run agent.py {prompt}", "uv run {base}/agent.py {prompt}"),
        ("env A=1 timeout 5 ./agent {prompt}", "env A=1 timeout 5 {base}/agent {prompt}"),
        ("timeout 5 python3 agent.py", "timeout 5 python3 {base}/agent.py"),
        ("cat {prompt_file} | ./agent && node agent.js", "cat {prompt_file} | {base}/agent && node {base}/agent.js"),
        ("agent.py x", "agent.py x"),
        ("agent ./agent.py", "agent ./agent.py"),
        ("cat agent.py", "cat agent.py"),
        ("/opt/agent ./x", "/opt/agent ./x"),
        ("$HOME/agent x; {model}/agent", "$HOME/agent x; {model}/agent"),
        ("~/agent x", "{home}/agent x"),
        ("bash ~/agent.sh x", "bash {home}/agent.sh x"),
    ],
)
def test_programs_given_by_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, expected: str
) -> None:
    home = tmp_path / "user"
    monkeypatch.setenv("HOME", str(home))
    for name in ("base/agent", "base/my agent", "base/agent.py", "base/agent.js", "base/sub/agent.py", "user/agent.sh"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    spec = parse_agent_option(f"mine={command}", tmp_path / "base")
    whole = expected.replace("{base}", str(tmp_path / "base")).replace("{home}", str(home))
    assert spec.options["command"] == whole


def test_a_list_with_relative_programs(tmp_path: Path) -> None:
    write(tmp_path, "agent.py", "")
    spec = one(tmp_path, "command: [python3, ./agent.py, './agent.py', '{prompt}']\n")
    assert spec.options["command"] == ("python3", str(tmp_path / "agent.py"), "./agent.py", "{prompt}")


def test_the_example_of_an_own_agent_really_runs(stage: Any, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "agents", tmp_path / "agents")
    stage.environ["PATH"] = f"{Path(sys.executable).parent}:{stage.environ['PATH']}"
    specs, problems = read_configured([tmp_path / "agents"])
    assert problems == []
    spec = next(spec for spec in specs if spec.name == "my-agent")
    agent = CommandAgent()
    assert agent.probe(spec, stage.host).status == "available"
    finished = stage.run(agent.invocation(spec, stage.assignment("Büild it\n"), stage.host))
    assert finished.exit_code == 0, finished.stderr.read_text()
    assert "Büild it" in (stage.workspace / "notes.md").read_text()
    usage = agent.read(spec, finished, stage.evidence(finished, agent.keeps(spec))).usage
    assert (usage.input_tokens, usage.output_tokens, usage.source) == (0, 0, "reported")
    assert json.loads((stage.folder / "traces" / "usage.json").read_text()) == {"input": 0, "output": 0, "model": None}
