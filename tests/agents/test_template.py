"""Placeholders in commands: no value is ever taken for anything but a value, whatever quotes stand around it."""

import subprocess
import sys
from pathlib import Path

import pytest

from agent_bench.agents.template import filled_words, placeholders, shell_call, unsafe_placeholder

NASTY = "-x \"dq\" 'sq' $HOME `touch pwned` $(touch pwned); touch pwned & \\ \n two  spaces\t* ? ~ {model} ünï 🎉 #"
VALUES = {"prompt": NASTY, "prompt_file": "/a b/p'.txt", "workspace": "/w $x", "model": "m\"`id`'"}


def output_of(command: str, tmp_path: Path) -> str:
    done = subprocess.run(shell_call(command, VALUES), cwd=tmp_path, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("printf '[%s]' {prompt}", f"[{NASTY}]"),
        ("printf '[%s]' \"{prompt}\"", f"[{NASTY}]"),
        ("printf '[%s]' '{prompt}'", f"[{NASTY}]"),
        ("printf '[%s]' a{prompt}b", f"[a{NASTY}b]"),
        ("printf '[%s]' \"a {prompt} b\"", f"[a {NASTY} b]"),
        ("printf '[%s]' 'it {prompt} is'", f"[it {NASTY} is]"),
        ("printf '[%s]' --prompt={prompt} 'x'\"y\"{model}", f"[--prompt={NASTY}][xy{VALUES['model']}]"),
        ("printf '[%s]' \"$(printf %s {prompt})\"", f"[{NASTY}]"),
        ("printf '[%s]' \"`printf %s {prompt}`\"", f"[{NASTY}]"),
        ("printf '[%s]' \"$(printf %s \"<{prompt}>\")-{model}\"", f"[<{NASTY}>-{VALUES['model']}]"),
        ("printf '[%s]' \"a\\\"{prompt}\"", f"[a\"{NASTY}]"),
        ("printf '[%s]' \"it's {prompt}\"", f"[it's {NASTY}]"),
        ("# don't mind {prompt}\nprintf '[%s]' {prompt}", f"[{NASTY}]"),
        ("printf '[%s]' {prompt} # don't", f"[{NASTY}]"),
        ("(printf '[%s]' {prompt}) && printf %s {workspace}", f"[{NASTY}]{VALUES['workspace']}"),
        ("x={prompt}; printf '[%s]' \"$x\"", f"[{NASTY}]"),
        ("printf '[%s]' ${model-unset} {other} {} \\{prompt} a{b,c}", "[unset][{other}][{}][{prompt}][a{b,c}]"),
        ("sh -c 'printf \"[%s]\" \"$1\"' _ {prompt}", f"[{NASTY}]"),
        ("bash -o pipefail -c 'printf \"[%s]\" \"$1\"' _ \"{prompt}\"", f"[{NASTY}]"),
        ("printf '[%s]' \"$#\" {model}", f"[0][{VALUES['model']}]"),
        ("printf %s {prompt} | cat", NASTY),
    ],
)  # fmt: skip
def test_the_value_arrives_exactly(command: str, expected: str, tmp_path: Path) -> None:
    assert unsafe_placeholder(command) is None
    assert output_of(command, tmp_path) == expected
    assert list(tmp_path.iterdir()) == []


def test_values_are_not_in_the_environment_of_what_is_started(tmp_path: Path) -> None:
    assert "pwned" not in output_of("env; : {prompt}", tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        "bash -c 'my-agent {prompt}'",
        'sh -c "my-agent {prompt}"',
        "sh -c {prompt}",
        "bash -o pipefail -c 'my-agent {prompt}'",
        "env A=1 timeout 5 /bin/bash -lc 'x {prompt}'",
        'bash -c "x $(date){prompt}"',
        'bash -c "x $(printf %s {prompt})"',
        "cd /x && dash -c \"y '{prompt}'\"",
        "python3 -c \"print('{prompt}')\"",
        "python3 -W ignore -c {prompt}",
        "node --eval='x({prompt})'",
        "perl -ne 'x {prompt}'",
        "script -qc 'x {prompt}' /dev/null",
        "su me --command 'x {prompt}'",
        "eval {prompt}",
        "ssh host agent {prompt}",
        "cat <<EOF\n{prompt}\nEOF",
        "x | (sh -c 'y {model}')",
    ],
)
def test_a_command_that_would_run_a_value_is_refused(command: str) -> None:
    assert unsafe_placeholder(command)


@pytest.mark.parametrize(
    "command",
    [
        "claude -p {prompt}",
        "python3 agent.py -c {prompt}",
        "python3 -m agent -e {prompt}",
        "bash ./run.sh -c {prompt}",
        "sh {prompt_file}",
        "my-agent -c {prompt}; bash -c true",
        "cat <<< {prompt}\nagent",
        "cat <<EOF\nplain\nEOF",
        "agent {prompt} <<EOF\nplain {}\nEOF",
    ],
)
def test_other_commands_are_not_refused(command: str) -> None:
    assert unsafe_placeholder(command) is None


def test_a_list_is_filled_in_word_by_word_and_never_seen_by_a_shell() -> None:
    words = ("agent", "--task={prompt}", "{workspace}", "${model}", "{other}")
    assert filled_words(words, VALUES) == ("agent", f"--task={NASTY}", "/w $x", "${model}", "{other}")
    assert unsafe_placeholder(words) is None
    assert unsafe_placeholder(("bash", "-lc", "agent {prompt}"))
    assert unsafe_placeholder(("bash", "-lc", 'agent "$1"', "_", "{prompt}")) is None


def test_placeholders_of_a_command() -> None:
    assert placeholders("a {prompt} '{prompt_file}' {model}x {workspaces} ${workspace}") == {
        "prompt",
        "prompt_file",
        "model",
    }


def test_a_single_program_takes_the_shells_place(tmp_path: Path) -> None:
    done = subprocess.run(shell_call("sleep 0.01", VALUES), cwd=tmp_path)
    assert done.returncode == 0
    killed = subprocess.run(shell_call(f"{sys.executable} -c 'import os; os.kill(os.getpid(), 11)'", VALUES))
    assert killed.returncode == 139
    alone = subprocess.run(shell_call(f"{sys.executable} {{prompt}}", {**VALUES, "prompt": str(_dies(tmp_path))}))
    assert alone.returncode == -11


def _dies(folder: Path) -> Path:
    program = folder / "dies.py"
    program.write_text("import os\nos.kill(os.getpid(), 11)\n")
    return program
